//===- FloatGradients.h - gradients of 16-bit numbers that are summed in float ----------------------------------===//
//
// A sum of many numbers of 16 bits stops growing: 256 ones and one more are 256 in bfloat16. Where a kernel may add to
// one element more often than a few times, the runtime therefore gives it a float for each element, and rounds once
// when the kernel is done (runtime/src/core/scratch_gradients.h). The pointer of such a gradient is odd; one less is
// the first float, and the others lie twice as far from it as their elements from the first. Even, as in a launch by
// hand, it leads to the elements themselves.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_FLOATGRADIENTS_H
#define KERNIX_DERIVATIVE_ACCUMULATION_FLOATGRADIENTS_H

#include "Derivative/Accumulation/Accumulation.h"
#include "llvm/ADT/SetVector.h"

namespace kernix {

class FloatGradients {
public:
  FloatGradients(const DerivativeRequest &Request, const Prepared &P, MemoryObjects &Objects, Activity &Active,
                 const Accumulation &Accumulations, llvm::FunctionAnalysisManager &FAM);

  bool contains(const MemoryObject &O) const { return All.contains(&O); }
  void forEach(llvm::function_ref<void(const MemoryObject &)> Do) const {
    for (const MemoryObject *O : All)
      Do(*O);
  }
  /// Bit k: the gradient of parameter k.
  unsigned parameters() const;

private:
  llvm::SmallSetVector<const MemoryObject *, 4> All; ///< in the order of the source's accesses
};

/// Half and bfloat.
inline bool isNarrow(const llvm::Type *T) { return T->isHalfTy() || T->isBFloatTy(); }
/// In which numbers of type T are summed: float for those of 16 bits.
inline llvm::Type *typeOfSum(llvm::Type *T) { return isNarrow(T) ? llvm::Type::getFloatTy(T->getContext()) : T; }

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_FLOATGRADIENTS_H
