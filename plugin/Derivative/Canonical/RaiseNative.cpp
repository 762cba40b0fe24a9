//===- RaiseNative.cpp - functions that are an LLVM instruction or intrinsic on every target --------------------===//

#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Canonical/RaiseParts.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

struct NativeFunction {
  StringRef Name; ///< double precision; single precision appends an f
  unsigned Arity;
  Intrinsic::ID ID;
};
const NativeFunction Intrinsics[] = {
    {"ceil", 1, Intrinsic::ceil},
    {"copysign", 2, Intrinsic::copysign},
    {"fabs", 1, Intrinsic::fabs},
    {"floor", 1, Intrinsic::floor},
    {"fma", 3, Intrinsic::fma},
    {"fmax", 2, Intrinsic::maxnum},
    {"fmin", 2, Intrinsic::minnum},
    {"nearbyint", 1, Intrinsic::nearbyint},
    {"rint", 1, Intrinsic::rint},
    {"round", 1, Intrinsic::round},
    {"roundeven", 1, Intrinsic::roundeven},
    {"trunc", 1, Intrinsic::trunc},
};

bool argumentsAre(const CallBase &Call, unsigned Count, Type *T) {
  return Call.arg_size() == Count && all_of(Call.args(), [&](const Use &Argument) { return Argument->getType() == T; });
}

bool raiseToIntrinsic(CallBase &Call, StringRef Name) {
  Type *T = Call.getType();
  if (T->isFloatTy() && !Name.consume_back("f"))
    return false;
  for (const NativeFunction &Native : Intrinsics) {
    if (Native.Name != Name)
      continue;
    if (!argumentsAre(Call, Native.Arity, T))
      return false;
    RaiseBuilder Builder(Call);
    replaceCall(Call, Builder.CreateIntrinsic(Native.ID, {T}, SmallVector<Value *>(Call.args())));
    return true;
  }
  return false;
}

/// Arithmetic with `_rn` in its name: the plain operation, which nothing may be fused with.
bool raiseRoundedToNearest(CallBase &Call, StringRef Name) {
  if (!Name.consume_back("_rn"))
    return false;
  Type *T = Call.getType();
  RaiseBuilder Builder(Call);
  Builder.clearFastMathFlags();
  SmallVector<Value *> X(Call.args());
  if (Name == "fmaf" || Name == "fma" || Name == "fmaf_ieee") {
    if (!argumentsAre(Call, 3, T))
      return false;
    replaceCall(Call, Builder.CreateIntrinsic(Intrinsic::fma, {T}, X));
    return true;
  }
  if (!Name.consume_front(T->isFloatTy() ? "f" : "d"))
    return false;
  if (Name == "rcp" && argumentsAre(Call, 1, T)) {
    replaceCall(Call, Builder.CreateFDiv(ConstantFP::get(T, 1.0), X[0]));
    return true;
  }
  auto Operation = StringSwitch<Instruction::BinaryOps>(Name)
                       .Case("add", Instruction::FAdd)
                       .Case("sub", Instruction::FSub)
                       .Case("mul", Instruction::FMul)
                       .Case("div", Instruction::FDiv)
                       .Default(Instruction::BinaryOpsEnd);
  if (Operation == Instruction::BinaryOpsEnd || !argumentsAre(Call, 2, T))
    return false;
  replaceCall(Call, Builder.CreateBinOp(Operation, X[0], X[1]));
  return true;
}

/// Conversions to nearest and reinterpretations.
bool raiseCast(CallBase &Call, StringRef Name) {
  auto Operation = StringSwitch<Instruction::CastOps>(Name)
                       .Cases({"int2float_rn", "ll2float_rn", "int2double_rn", "ll2double_rn"}, Instruction::SIToFP)
                       .Cases({"uint2float_rn", "ull2float_rn", "uint2double_rn", "ull2double_rn"}, Instruction::UIToFP)
                       .Case("double2float_rn", Instruction::FPTrunc)
                       .Cases({"float_as_int", "float_as_uint", "double_as_longlong"}, Instruction::BitCast)
                       .Cases({"int_as_float", "uint_as_float", "longlong_as_double"}, Instruction::BitCast)
                       .Default(Instruction::CastOpsEnd);
  if (Operation == Instruction::CastOpsEnd || Call.arg_size() != 1 ||
      !CastInst::castIsValid(Operation, Call.getArgOperand(0)->getType(), Call.getType()))
    return false;
  RaiseBuilder Builder(Call);
  replaceCall(Call, Builder.CreateCast(Operation, Call.getArgOperand(0), Call.getType()));
  return true;
}

/// The upper and the lower word of a double, and a double of both.
bool raiseWords(CallBase &Call, StringRef Name) {
  RaiseBuilder Builder(Call);
  Type *Int64 = Builder.getInt64Ty(), *Double = Builder.getDoubleTy(), *Int32 = Builder.getInt32Ty();
  if (Name == "hiloint2double" && Call.getType() == Double && argumentsAre(Call, 2, Int32)) {
    Value *High = Builder.CreateShl(Builder.CreateZExt(Call.getArgOperand(0), Int64), 32);
    Value *Both = Builder.CreateOr(High, Builder.CreateZExt(Call.getArgOperand(1), Int64));
    replaceCall(Call, Builder.CreateBitCast(Both, Double));
    return true;
  }
  if ((Name != "double2hiint" && Name != "double2loint") || Call.getType() != Int32 || !argumentsAre(Call, 1, Double))
    return false;
  Value *Bits = Builder.CreateBitCast(Call.getArgOperand(0), Int64);
  if (Name == "double2hiint")
    Bits = Builder.CreateLShr(Bits, 32);
  replaceCall(Call, Builder.CreateTrunc(Bits, Int32));
  return true;
}

/// isnan and its like, which give an int.
unsigned classOf(StringRef Name) {
  return StringSwitch<unsigned>(Name).Case("isnanf", fcNan).Case("isinff", fcInf).Case("finitef", fcFinite).Default(0);
}
unsigned classOfLibdevice(StringRef Name) {
  return StringSwitch<unsigned>(Name)
      .Case("isnand", fcNan)
      .Case("isinfd", fcInf)
      .Case("isfinited", fcFinite)
      .Cases({"signbitf", "signbitd"}, fcNegative | fcNan)
      .Default(0);
}

bool raiseClass(CallBase &Call, unsigned Class) {
  if (!Class || Call.arg_size() != 1 || !Call.getType()->isIntegerTy())
    return false;
  Value *X = Call.getArgOperand(0);
  if (!X->getType()->isFloatTy() && !X->getType()->isDoubleTy())
    return false;
  RaiseBuilder Builder(Call);
  Value *Is;
  if (Class == (fcNegative | fcNan)) {
    // The sign of a NaN counts too, and is no class.
    Value *One = Builder.CreateBinaryIntrinsic(Intrinsic::copysign, ConstantFP::get(X->getType(), 1.0), X);
    Is = Builder.CreateFCmpOLT(One, ConstantFP::get(X->getType(), 0.0));
  } else {
    Is = Builder.createIsFPClass(X, Class);
  }
  replaceCall(Call, Builder.CreateZExt(Is, Call.getType()));
  return true;
}

/// scalbn and scalbln, llvm.ldexp: all are ldexp.
bool raiseScaling(CallBase &Call) {
  Type *T = Call.getType();
  Value *X = Call.getArgOperand(0), *Exponent = Call.getArgOperand(1);
  if (X->getType() != T || !Exponent->getType()->isIntegerTy())
    return false;
  RaiseBuilder Builder(Call);
  if (Exponent->getType()->getIntegerBitWidth() > 32) {
    // Beyond this everything has long become 0 or infinite.
    Value *Limit = ConstantInt::getSigned(Exponent->getType(), 100000);
    Exponent = Builder.CreateBinaryIntrinsic(Intrinsic::smin, Exponent, Limit);
    Exponent = Builder.CreateBinaryIntrinsic(Intrinsic::smax, Exponent, ConstantExpr::getNeg(cast<Constant>(Limit)));
  }
  Exponent = Builder.CreateSExtOrTrunc(Exponent, Builder.getInt32Ty());
  replaceCall(Call,
              Builder.CreateCall(declareMath(Builder.module(), *findMathFunction("ldexp"), T, false), {X, Exponent}));
  return true;
}

} // namespace

bool kernix::raiseLibdeviceNative(CallBase &Call, StringRef Name) {
  if (raiseCast(Call, Name) || raiseWords(Call, Name) || raiseClass(Call, classOfLibdevice(Name)))
    return true;
  Type *T = Call.getType();
  return (T->isFloatTy() || T->isDoubleTy()) && raiseRoundedToNearest(Call, Name);
}

bool kernix::raiseNative(CallBase &Call, StringRef Name) {
  if (raiseClass(Call, classOf(Name)))
    return true;
  Type *T = Call.getType();
  if (!T->isFloatTy() && !T->isDoubleTy())
    return false;
  if (raiseToIntrinsic(Call, Name))
    return true;
  if (T->isFloatTy() && !Name.consume_back("f"))
    return false;
  if ((Name == "scalbn" || Name == "scalbln") && Call.arg_size() == 2)
    return raiseScaling(Call);
  if (Name != "nan" || Call.arg_size() != 1 || !Call.getArgOperand(0)->getType()->isPointerTy())
    return false;
  replaceCall(Call, ConstantFP::getNaN(T));
  return true;
}

bool kernix::raiseNativeIntrinsic(CallBase &Call) {
  Type *T = Call.getType();
  if (!T->isFloatTy() && !T->isDoubleTy())
    return false;
  if (Call.getIntrinsicID() == Intrinsic::ldexp)
    return raiseScaling(Call);
  if (Call.getIntrinsicID() != Intrinsic::powi || !Call.getArgOperand(1)->getType()->isIntegerTy(32))
    return false;
  RaiseBuilder Builder(Call);
  replaceCall(Call, Builder.CreateCall(declareMath(Builder.module(), *findMathFunction("powi"), T, false),
                                       SmallVector<Value *>(Call.args())));
  return true;
}
