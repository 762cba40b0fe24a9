//===- LocalLayout.h - what a local variable is declared to hold where a pointer points -------------------------===//
//
// A computed index moves within the array that it is written for: an index into a member of a struct stays in that
// member, an index into an array of structs leads to the same member of each.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_LOCALLAYOUT_H
#define KERNIX_DERIVATIVE_PREPARE_LOCALLAYOUT_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace llvm {
class AllocaInst;
class DataLayout;
class LLVMContext;
class Type;
class Value;
} // namespace llvm

namespace kernix {

/// Bytes of a declared type. Where a pointer may lead to several places, they are alike: elements of an array.
struct LocalPlace {
  llvm::Type *T = nullptr;
  uint64_t Offset = 0; ///< in T
};

/// All places in Variable where Pointer may point; false if they are not known.
bool placesInLocal(const llvm::Value *Pointer, const llvm::AllocaInst &Variable,
                   llvm::SmallVectorImpl<LocalPlace> &Places);

/// Appends the scalars of T that lie in [Begin, End), with their distance from Begin; false if one crosses the border,
/// or there are more than MostScalars.
bool scalarsIn(llvm::Type *T, uint64_t Begin, uint64_t End, const llvm::DataLayout &DL,
               llvm::SmallVectorImpl<std::pair<llvm::Type *, uint64_t>> &Scalars);

/// Appends what none of these scalars of so many bytes takes, as integers. The type of a union is that of one of its
/// members, and another may have something where that one has padding.
void addGaps(uint64_t Bytes, llvm::LLVMContext &C, const llvm::DataLayout &DL,
             llvm::SmallVectorImpl<std::pair<llvm::Type *, uint64_t>> &Scalars);

/// What Size bytes of a local variable are declared to be.
struct LocalCell {
  enum KindType {
    Number, ///< exactly one floating-point number, of type Scalar
    Beside, ///< no part of such a number
    Mixed   ///< anything else, or not known
  };
  KindType Kind = Mixed;
  llvm::Type *Scalar = nullptr;
};
LocalCell cellInLocal(const llvm::Value *Pointer, const llvm::AllocaInst &Variable, uint64_t Size);

/// The floating-point type of which all Size bytes are declared to be, as whole numbers; or null.
llvm::Type *numbersInLocal(const llvm::Value *Pointer, const llvm::AllocaInst &Variable, uint64_t Size);

/// The floating-point type that all bytes of T are made of; null if there are others, or padding.
llvm::Type *homogeneousScalar(llvm::Type *T, const llvm::DataLayout &DL);

/// The floating-point type of all members of T, with padding between or behind them in which such numbers would fit,
/// too; null if there are others. Arrays of bytes count as padding: Clang declares it so, and who asks has to know that
/// nothing is done to bytes there.
llvm::Type *paddedScalar(llvm::Type *T, const llvm::DataLayout &DL);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_LOCALLAYOUT_H
