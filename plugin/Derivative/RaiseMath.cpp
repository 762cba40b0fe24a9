//===- RaiseMath.cpp - libdevice, the C library and LLVM's math intrinsics --------------------------------------===//

#include "Derivative/MathFunctions.h"
#include "Derivative/RaiseParts.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

/// sincos and its like: two results through pointers.
struct PairFunction {
  StringRef Name, First, Second;
};
const PairFunction Pairs[] = {{"sincos", "sin", "cos"}, {"sincospi", "sinpi", "cospi"}};

Value *call(RaiseBuilder &Builder, StringRef Name, Type *Type, bool IsFast, ArrayRef<Value *> Arguments) {
  const MathFunction *Math = findMathFunction(Name);
  return Builder.CreateCall(declareMath(Builder.module(), *Math, Type, IsFast), Arguments);
}

bool raisePair(CallBase &Call, StringRef Name, bool IsFast) {
  for (const PairFunction &Pair : Pairs) {
    StringRef Rest = Name;
    if (!Rest.consume_front(Pair.Name) || (!Rest.empty() && Rest != "f"))
      continue;
    if (Call.arg_size() != 3 || typeSuffix(Call.getArgOperand(0)->getType()) != (Rest.empty() ? "f64" : "f32"))
      return false;
    RaiseBuilder Builder(Call);
    Value *X = Call.getArgOperand(0);
    Builder.CreateStore(call(Builder, Pair.First, X->getType(), IsFast, {X}), Call.getArgOperand(1));
    Builder.CreateStore(call(Builder, Pair.Second, X->getType(), IsFast, {X}), Call.getArgOperand(2));
    replaceCall(Call, nullptr);
    return true;
  }
  return false;
}

bool raiseTo(CallBase &Call, const MathFunction &Math, bool IsSingle, bool IsFast) {
  LLVMContext &Context = Call.getContext();
  Type *Floating = IsSingle ? Type::getFloatTy(Context) : Type::getDoubleTy(Context);
  FunctionType *Signature = signatureOf(Math, Floating);
  if (Call.getFunctionType() != Signature)
    return false; // another function that happens to have the name
  RaiseBuilder Builder(Call);
  SmallVector<Value *> Arguments(Call.args());
  replaceCall(Call, Builder.CreateCall(declareMath(Builder.module(), Math, Floating, IsFast), Arguments));
  return true;
}

} // namespace

bool kernix::raiseLibdevice(CallBase &Call, StringRef Name) {
  bool IsSingle, IsFast;
  if (const MathFunction *Math = findByLibdeviceName(Name, IsSingle, IsFast))
    return raiseTo(Call, *Math, IsSingle, IsFast);
  if (raiseNative(Call, Name))
    return true;
  StringRef Rest = Name;
  IsFast = Rest.consume_front("fast_");
  return raisePair(Call, Rest, IsFast);
}

bool kernix::raiseLibm(CallBase &Call, StringRef Name) {
  bool IsSingle;
  if (const MathFunction *Math = findByLibmName(Name, IsSingle))
    return raiseTo(Call, *Math, IsSingle, false);
  if (raiseNative(Call, Name))
    return true;
  return raisePair(Call, Name, false);
}

bool kernix::raiseMathIntrinsic(CallBase &Call) {
  Intrinsic::ID ID = Call.getIntrinsicID();
  Type *Type = Call.getType();
  if (const MathFunction *Math = findByIntrinsic(ID))
    return (Type->isFloatTy() || Type->isDoubleTy()) && raiseTo(Call, *Math, Type->isFloatTy(), false);
  if (ID != Intrinsic::sincos && ID != Intrinsic::sincospi)
    return false;
  Value *X = Call.getArgOperand(0);
  if (!X->getType()->isFloatTy() && !X->getType()->isDoubleTy())
    return false;
  const PairFunction &Pair = Pairs[ID == Intrinsic::sincos ? 0 : 1];
  RaiseBuilder Builder(Call);
  Value *Both = PoisonValue::get(Type);
  Both = Builder.CreateInsertValue(Both, call(Builder, Pair.First, X->getType(), false, {X}), 0);
  Both = Builder.CreateInsertValue(Both, call(Builder, Pair.Second, X->getType(), false, {X}), 1);
  replaceCall(Call, Both);
  return true;
}
