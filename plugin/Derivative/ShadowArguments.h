//===- ShadowArguments.h - parameters and shadows of a derivative -----------------------------------------------===//
//
// The body of a derivative has two arguments for each of the primal: the parameter's address and its shadow's.
// Everything that is read there once, at the entry, is here.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_SHADOWARGUMENTS_H
#define KERNIX_DERIVATIVE_SHADOWARGUMENTS_H

#include "Derivative/Analysis/Memory.h"
#include "Derivative/Launch/UsualLaunch.h"
#include "llvm/IR/IRBuilder.h"

namespace kernix {

class ShadowArguments {
public:
  ShadowArguments(const DerivativeRequest &Request, const Prepared &P, llvm::IRBuilder<> &Entry)
      : Request(Request), P(P), Entry(Entry) {}

  /// The value of an argument of the prepared primal.
  llvm::Value *primal(const llvm::Argument &A);
  /// Bytes of the storage that such an argument is the address of.
  uint64_t sizeOfStorage(const llvm::Argument &A) const;
  llvm::StringRef nameOfStorage(const llvm::Argument &A) const;
  /// The address of an object's shadow: of a tensor or reference its first element's, of a parameter's storage the
  /// gradient's or tangent's. Null at run time where the caller wants none.
  llvm::Value *shadow(const MemoryObject &Object);
  /// One where the runtime says that Object's gradient overlaps another, or zero: it is added to the address, which is
  /// even. Call it before shadow(), which takes it off again; without it, addresses are taken as they are.
  llvm::Value *markOfOverlap(const MemoryObject &Object);
  /// Likewise, one where the address is that of scratch memory: of floats in place of Object's 16-bit numbers, of
  /// copies of its elements.
  llvm::Value *markOfScratch(const MemoryObject &Object);
  /// The kernix_notes on Object's gradient, or null. Call it before shadow(), which is then the gradient itself.
  llvm::Value *notes(const MemoryObject &Object);
  /// The stride that the shadow view has instead of the one that Load reads from the parameter's storage.
  llvm::Value *shadowStride(llvm::LoadInst &Load);
  /// Whether the shadow of a view has the strides of the view, or is not there.
  llvm::Value *hasStridesOfPrimal(unsigned Parameter);
  /// All tensors and gradients that were read. OthersOf: what the gradient of a tensor may overlap.
  void describe(UsualLaunch &Usual, llvm::function_ref<UsualLaunch::Others(const MemoryObject &)> OthersOf) const;

private:
  const DerivativeRequest &Request;
  const Prepared &P;
  llvm::IRBuilder<> &Entry;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> Primals, Shadows, Strides, Marks;
  llvm::SmallPtrSet<const llvm::Value *, 4> MayBeScratch, HaveNotes;
  llvm::SmallVector<std::pair<const Leaf *, llvm::Value *>, 4> Tensors;
  llvm::SmallVector<std::pair<const MemoryObject *, llvm::Value *>, 4> ShadowsOfTensors;
};

} // namespace kernix

#endif // KERNIX_DERIVATIVE_SHADOWARGUMENTS_H
