//===- CallScalars.cpp - small structs of floats in the arguments and results of calls --------------------------===//

#include "Derivative/Prepare/CallScalars.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

bool hasStructResult(const CallBase &Call) { return Call.arg_size() && Call.paramHasAttr(0, Attribute::StructRet); }

Type *vectorOf(Type *Scalar, unsigned Count) { return Count == 1 ? Scalar : FixedVectorType::get(Scalar, Count); }

/// The number of scalars of the width of Scalar in a type that is made of such alone; 0: it is not.
unsigned countScalars(Type *T, Type *Scalar) {
  unsigned Width = Scalar->getScalarSizeInBits();
  if (auto *Struct = dyn_cast<StructType>(T)) {
    unsigned Sum = 0;
    for (Type *Element : Struct->elements()) {
      unsigned Count = countScalars(Element, Scalar);
      if (!Count)
        return 0;
      Sum += Count;
    }
    return Sum;
  }
  unsigned Bits = T->getPrimitiveSizeInBits().getFixedValue();
  // Wider integers and vectors hold several; a float where a half is asked for is something else.
  bool Fits = T->isIntOrIntVectorTy() || T->getScalarType() == Scalar;
  return Fits && Bits % Width == 0 ? Bits / Width : 0;
}

/// T made of the first numbers, which are removed from the list.
Value *assemble(RaiseBuilder &Builder, Type *T, ArrayRef<Value *> &Numbers) {
  if (auto *Struct = dyn_cast<StructType>(T)) {
    Value *Result = PoisonValue::get(T);
    for (unsigned I = 0; I < Struct->getNumElements(); ++I)
      Result = Builder.CreateInsertValue(Result, assemble(Builder, Struct->getElementType(I), Numbers), I);
    return Result;
  }
  unsigned Count = countScalars(T, Numbers.front()->getType());
  Value *Result = Numbers.front();
  if (Count > 1) {
    Result = PoisonValue::get(vectorOf(Numbers.front()->getType(), Count));
    for (unsigned I = 0; I < Count; ++I)
      Result = Builder.CreateInsertElement(Result, Numbers[I], I);
  }
  Numbers = Numbers.drop_front(Count);
  return Builder.CreateBitCast(Result, T);
}

} // namespace

unsigned kernix::sourceArguments(const CallBase &Call) { return Call.arg_size() - hasStructResult(Call); }

Value *kernix::sourceArgument(const CallBase &Call, unsigned Argument) {
  return Call.getArgOperand(Argument + hasStructResult(Call));
}

Scalars kernix::loadScalars(RaiseBuilder &Builder, Value *Address, Type *Scalar, unsigned Count, MaybeAlign Align) {
  Scalars Numbers;
  unsigned Size = Scalar->getScalarSizeInBits() / 8;
  for (unsigned I = 0; I < Count; ++I) {
    Value *Element = I == 0 ? Address : Builder.CreateConstInBoundsGEP1_64(Scalar, Address, I);
    Numbers.push_back(
        Builder.CreateAlignedLoad(Scalar, Element, commonAlignment(Align.value_or(llvm::Align(Size)), I * Size)));
  }
  return Numbers;
}

void kernix::storeScalars(RaiseBuilder &Builder, ArrayRef<Value *> Numbers, Value *Address, MaybeAlign Align) {
  Type *Scalar = Numbers.front()->getType();
  unsigned Size = Scalar->getScalarSizeInBits() / 8;
  for (auto [I, Number] : enumerate(Numbers)) {
    Value *Element = I == 0 ? Address : Builder.CreateConstInBoundsGEP1_64(Scalar, Address, I);
    Builder.CreateAlignedStore(Number, Element, commonAlignment(Align.value_or(llvm::Align(Size)), I * Size));
  }
}

Scalars kernix::readArgument(RaiseBuilder &Builder, CallBase &Call, unsigned Argument, Type *Scalar, unsigned Count) {
  unsigned Place = Argument + hasStructResult(Call);
  if (Place >= Call.arg_size())
    return {};
  Value *Given = Call.getArgOperand(Place);
  if (Type *Struct = Call.getParamByValType(Place)) {
    if (countScalars(Struct, Scalar) != Count)
      return {};
    return loadScalars(Builder, Given, Scalar, Count, Call.getParamAlign(Place));
  }
  if (Given->getType()->isPointerTy() || Given->getType()->isStructTy() ||
      countScalars(Given->getType(), Scalar) != Count)
    return {};
  Value *Whole = Builder.CreateBitCast(Given, vectorOf(Scalar, Count));
  if (Count == 1)
    return {Whole};
  Scalars Numbers;
  for (unsigned I = 0; I < Count; ++I)
    Numbers.push_back(Builder.CreateExtractElement(Whole, I));
  return Numbers;
}

bool kernix::returnsScalars(const CallBase &Call, Type *Scalar, unsigned Count) {
  Type *T = hasStructResult(Call) ? Call.getParamStructRetType(0) : Call.getType();
  return !T->isVoidTy() && !T->isPointerTy() && countScalars(T, Scalar) == Count;
}

void kernix::replaceByScalars(RaiseBuilder &Builder, CallBase &Call, ArrayRef<Value *> Numbers) {
  if (hasStructResult(Call)) {
    storeScalars(Builder, Numbers, Call.getArgOperand(0), Call.getParamAlign(0));
    replaceCall(Call, nullptr);
    return;
  }
  ArrayRef<Value *> Rest = Numbers;
  replaceCall(Call, assemble(Builder, Call.getType(), Rest));
}
