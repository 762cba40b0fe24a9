//===- FloatShadows.h - variables of 16-bit numbers whose adjoints are summed in float --------------------------===//
//
// What FloatGradients.h says of gradients holds of adjoints in shared memory and in arrays of the thread's own: a sum
// of many numbers of 16 bits stops growing. The shadow of such a variable has twice its size, and each adjoint lies
// twice as far from the beginning as its number: where that has 16 bits there is room for a float.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_FLOATSHADOWS_H
#define KERNIX_DERIVATIVE_ACCUMULATION_FLOATSHADOWS_H

#include "Derivative/Analysis/Activity.h"
#include "llvm/ADT/MapVector.h"

namespace kernix {

class FloatShadows {
public:
  /// None: forward derivatives sum nothing in a shadow.
  FloatShadows() = default;
  FloatShadows(const Prepared &P, MemoryObjects &Objects, Activity &Active);

  bool contains(const MemoryObject &O) const { return All.contains(&O); }
  /// The size of the shadow of O, in multiples of that of O.
  unsigned times(const MemoryObject &O) const { return contains(O) ? 2 : 1; }
  /// The type of the adjoint of a number in O.
  llvm::Type *typeIn(const MemoryObject &O, llvm::Type *Number) const;

  /// Variables of 16-bit numbers that have none: where they are read, and why.
  struct Obstacle {
    const llvm::Instruction *Read = nullptr;
    std::string Reason;
  };
  const llvm::MapVector<const MemoryObject *, Obstacle> &others() const { return Others; }

private:
  llvm::SmallPtrSet<const MemoryObject *, 4> All;
  llvm::MapVector<const MemoryObject *, Obstacle> Others;
};

/// What has room for the shadow of a variable of type T; Scalar: the type of all numbers in it, or null.
llvm::Type *typeOfFloatShadow(llvm::Type *T, llvm::Type *Scalar, const llvm::DataLayout &DL);
llvm::Align alignOfFloatShadow(llvm::Align OfVariable);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_FLOATSHADOWS_H
