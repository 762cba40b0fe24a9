//===- NumbersIn.cpp - the numbers of which a value is made -------------------------------------------------------===//

#include "Derivative/Prepare/NumbersIn.h"

using namespace llvm;
using namespace kernix;

Value *kernix::replaceNumbers(IRBuilder<> &B, Value *V, function_ref<Value *(Value *)> Make) {
  Type *T = V->getType();
  if (T->isFloatingPointTy() || T->isIntegerTy())
    return Make(V);
  Value *Result = V;
  if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    for (unsigned K = 0; K < Vector->getNumElements(); ++K) {
      Value *Element = B.CreateExtractElement(V, K);
      if (Value *New = replaceNumbers(B, Element, Make); New != Element)
        Result = B.CreateInsertElement(Result, New, K);
    }
  } else if (T->isAggregateType()) {
    unsigned Count = T->isStructTy() ? T->getStructNumElements() : static_cast<unsigned>(T->getArrayNumElements());
    for (unsigned K = 0; K < Count; ++K) {
      Value *Element = B.CreateExtractValue(V, K);
      if (Value *New = replaceNumbers(B, Element, Make); New != Element)
        Result = B.CreateInsertValue(Result, New, K);
    }
  }
  return Result;
}

void kernix::replaceNumbersOfUses(IRBuilder<> &B, Value &V, function_ref<Value *(Value *)> Make) {
  SmallVector<Use *, 8> Uses;
  for (Use &U : V.uses())
    Uses.push_back(&U);
  Value *New = replaceNumbers(B, &V, Make);
  if (New != &V)
    for (Use *U : Uses)
      U->set(New);
}
