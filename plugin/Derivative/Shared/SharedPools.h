//===- SharedPools.h - one shared variable that is cut into arrays of several types -----------------------------===//
//
//   extern __shared__ float pool[];
//   int *index = reinterpret_cast<int *>(pool + n);
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_SHARED_SHAREDPOOLS_H
#define KERNIX_DERIVATIVE_SHARED_SHAREDPOOLS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace llvm {
class Function;
class GlobalVariable;
class Type;
class Value;
} // namespace llvm

namespace kernix {

/// On stores of zeros to a shadow, before anything else is stored there: zeros are numbers of any type.
constexpr char ClearMark[] = "kernix.clears";

/// The smallest type of floating-point numbers that F reads and writes in Variable, and whether it is the only one;
/// null: there is none.
llvm::Type *numberIn(const llvm::GlobalVariable &Variable, const llvm::Function &F, bool &IsOnly);

/// Whether F accesses Variable as several types, but no byte as another type than it was last stored as: each type has
/// places of its own, as far as their distance from the beginning shows, or is stored again before it is read.
bool isSharedPool(const llvm::GlobalVariable &Variable, const llvm::Function &F);

/// What Bytes of a variable that is an array of structs are declared to be, with the places in it; false if that is not
/// known.
bool membersInShared(const llvm::Value &Pointer, const llvm::GlobalVariable &Variable, uint64_t Bytes,
                     llvm::SmallVectorImpl<std::pair<llvm::Type *, uint64_t>> &Members);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_SHARED_SHAREDPOOLS_H
