//===- PointerChoices.h - accesses through a pointer that leads to one of several places ------------------------===//
//
// `c ? a : b` of two variables, std::max, a subscript that chooses members, swapped pointers, local tables of pointers:
// which place is meant becomes a number, and the access a branch to one access of each place. What is left leads to one
// object each, and variables that only such pointers reached can be registers. A call of one of several functions
// becomes a call of each.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_POINTERCHOICES_H
#define KERNIX_DERIVATIVE_PREPARE_POINTERCHOICES_H

namespace llvm {
class DataLayout;
class DominatorTree;
class Function;
class LoopInfo;
class Value;
} // namespace llvm

namespace kernix {

/// Of a pointer that leads to more, no access is split.
constexpr unsigned MostPlaces = 16;
/// To how many places a pointer may lead that is chosen from others.
unsigned countPlaces(const llvm::Value &Pointer, const llvm::DataLayout &DL);

/// `float *buffers[] = {first, second};` of __shared__ arrays, which clang copies from a constant: becomes stores.
/// True if something changed.
bool writeTables(llvm::Function &F);

/// True if something changed; the analyses are then stale, and pointers may be left that nothing uses.
bool splitPointerChoices(llvm::Function &F, const llvm::DominatorTree &Dominators, const llvm::LoopInfo &Loops);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_POINTERCHOICES_H
