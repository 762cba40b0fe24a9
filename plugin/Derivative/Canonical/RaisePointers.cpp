//===- RaisePointers.cpp - math functions with a second result through a pointer --------------------------------===//
//
// sincos, modf, frexp, remquo: the results become values, the second one is stored.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Canonical/RaiseParts.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

struct PairFunction {
  StringRef Name;   ///< double precision; single precision appends an f
  unsigned Arity;   ///< without pointers
  StringRef First;  ///< canonical function of the returned value, or of what the first pointer gets
  StringRef Second; ///< of what the (other) pointer gets
  bool ReturnsFirst;
  Intrinsic::ID ID; ///< the intrinsic that returns both; 0: none
};
const PairFunction Pairs[] = {
    {"sincos", 1, "sin", "cos", false, Intrinsic::sincos},
    {"sincospi", 1, "sinpi", "cospi", false, Intrinsic::sincospi},
    {"modf", 1, "modf_fraction", "", true, Intrinsic::modf},
    {"frexp", 1, "frexp_mantissa", "frexp_exponent", true, Intrinsic::frexp},
    {"remquo", 2, "remainder", "remquo_quotient", true, Intrinsic::not_intrinsic},
};

Value *callCanonical(RaiseBuilder &Builder, StringRef Name, bool IsFast, ArrayRef<Value *> Arguments) {
  Type *T = Arguments[0]->getType();
  // What remains of modf is an LLVM intrinsic.
  if (Name.empty())
    return Builder.CreateUnaryIntrinsic(Intrinsic::trunc, Arguments[0]);
  return Builder.CreateCall(declareMath(Builder.module(), *findMathFunction(Name), T, IsFast), Arguments);
}

} // namespace

bool kernix::raisePair(CallBase &Call, StringRef Name, bool IsFast) {
  for (const PairFunction &Pair : Pairs) {
    StringRef Rest = Name;
    if (!Rest.consume_front(Pair.Name) || (!Rest.empty() && Rest != "f"))
      continue;
    unsigned Pointers = Pair.ReturnsFirst ? 1 : 2;
    if (Call.arg_size() != Pair.Arity + Pointers || Call.getType()->isVoidTy() == Pair.ReturnsFirst ||
        typeSuffix(Call.getArgOperand(0)->getType()) != (Rest.empty() ? "f64" : "f32"))
      return false;
    RaiseBuilder Builder(Call);
    SmallVector<Value *> Arguments(drop_end(Call.args(), Pointers));
    Value *First = callCanonical(Builder, Pair.First, IsFast, Arguments);
    Value *Second = callCanonical(Builder, Pair.Second, IsFast, Arguments);
    if (!Pair.ReturnsFirst)
      Builder.CreateStore(First, Call.getArgOperand(Pair.Arity));
    Builder.CreateStore(Second, Call.getArgOperand(Call.arg_size() - 1));
    replaceCall(Call, Pair.ReturnsFirst ? First : nullptr);
    return true;
  }
  return false;
}

bool kernix::raisePairIntrinsic(CallBase &Call) {
  Intrinsic::ID ID = Call.getIntrinsicID();
  for (const PairFunction &Pair : Pairs) {
    if (Pair.ID == Intrinsic::not_intrinsic || Pair.ID != ID)
      continue;
    Value *X = Call.getArgOperand(0);
    if (!X->getType()->isFloatTy() && !X->getType()->isDoubleTy())
      return false;
    RaiseBuilder Builder(Call);
    Value *First = callCanonical(Builder, Pair.First, false, {X});
    Value *Second = callCanonical(Builder, Pair.Second, false, {X});
    Type *SecondType = cast<StructType>(Call.getType())->getElementType(1);
    if (SecondType->isIntegerTy())
      Second = Builder.CreateSExtOrTrunc(Second, SecondType);
    Value *Both = Builder.CreateInsertValue(PoisonValue::get(Call.getType()), First, 0);
    replaceCall(Call, Builder.CreateInsertValue(Both, Second, 1));
    return true;
  }
  return false;
}
