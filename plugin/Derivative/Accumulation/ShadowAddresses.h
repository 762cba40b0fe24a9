//===- ShadowAddresses.h - where the derivative of an element lies ----------------------------------------------===//
//
// The same way through the shadow as a pointer goes through the memory of the primal, with the strides that the shadow
// view has.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ACCUMULATION_SHADOWADDRESSES_H
#define KERNIX_DERIVATIVE_ACCUMULATION_SHADOWADDRESSES_H

#include "Derivative/ShadowArguments.h"
#include "Derivative/Shared/SharedVariables.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Operator.h"
#include <functional>

namespace kernix {

class ShadowAddresses {
public:
  /// ValueOf: the value of the primal where the builder stands. Shadows of local variables begin as zeros in the entry.
  ShadowAddresses(MemoryObjects &Objects, ShadowArguments &Arguments, SharedShadows &Shared, const FloatShadows &Floats,
                  Refusals &Refused, llvm::IRBuilder<> &B, llvm::IRBuilder<> &Entry,
                  std::function<llvm::Value *(llvm::Value *)> ValueOf)
      : Objects(Objects), Arguments(Arguments), Shared(Shared), Floats(Floats), Refused(Refused), B(B), Entry(Entry),
        ValueOf(std::move(ValueOf)) {}

  llvm::Value *of(llvm::Value *Pointer);
  /// The beginning of the shadow that Pointer leads into: null at run time where there is none.
  llvm::Value *baseOf(llvm::Value *Pointer);
  /// An index with the strides of the shadow in place of those of the primal: of the view whose elements are O; null:
  /// of any.
  llvm::Value *index(llvm::Value *Index, const MemoryObject *O = nullptr);
  /// When all is written: ends launches where a view that is accessed in other ways than by its own strides has a
  /// shadow of other strides.
  void checkStrides(const DerivativeRequest &Request);

private:
  llvm::Value *object(const MemoryObject &O);
  llvm::Value *local(const MemoryObject &O);
  llvm::Value *twiceAsFar(llvm::GEPOperator &Gep, llvm::Value *Base);
  bool dependsOnStride(const llvm::Value *V, const MemoryObject *O);
  bool isMultipleOfStride(const llvm::Value *Index, const MemoryObject &O);
  bool isElementOfView(const llvm::GEPOperator &Gep, const MemoryObject &O);

  MemoryObjects &Objects;
  ShadowArguments &Arguments;
  SharedShadows &Shared;
  const FloatShadows &Floats;
  Refusals &Refused;
  llvm::IRBuilder<> &B, &Entry;
  std::function<llvm::Value *(llvm::Value *)> ValueOf;
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> Locals;
  llvm::DenseMap<std::pair<const llvm::Value *, const MemoryObject *>, bool> Strided;
  /// Views whose shadows have to have their strides, and where that is seen.
  llvm::MapVector<unsigned, const llvm::Instruction *> LikePrimal;
};

/// A copy of a part of an address, with these operands: where no guard keeps it from wrapping around.
llvm::Instruction *copyWith(llvm::IRBuilder<> &B, const llvm::Instruction &I, llvm::ArrayRef<llvm::Value *> Operands);

/// Whether the caller may pass null for the shadow of O.
inline bool hasOptionalShadow(const MemoryObject &O) {
  return O.Kind != MemoryObject::Local && O.Kind != MemoryObject::Shared;
}

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ACCUMULATION_SHADOWADDRESSES_H
