//===- RaiseMath.cpp - libdevice, the C library and LLVM's math intrinsics --------------------------------------===//

#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Canonical/RaiseParts.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

/// The functions of the CPU target's headers that others there call.
StringRef cpuHelper(StringRef Name) {
  return StringSwitch<StringRef>(Name)
      .Case("sin_pi", "sinpi")
      .Case("cos_pi", "cospi")
      .Case("erfcx", "erfcx")
      .Case("erf_inverse", "erfinv")
      .Case("erfc_inverse", "erfcinv")
      .Case("normal_cdf", "normcdf")
      .Case("reciprocal_cube_root", "rcbrt")
      .Case("norm_of_three", "norm3d")
      .Case("norm_of_four", "norm4d")
      .Default({});
}

/// bessel_i(order, x)
StringRef besselHelper(const CallBase &Call) {
  const auto *Order = Call.arg_size() == 2 ? dyn_cast<ConstantInt>(Call.getArgOperand(0)) : nullptr;
  if (!Order)
    return {};
  return Order->isZero() ? "cyl_bessel_i0" : Order->isOne() ? "cyl_bessel_i1" : "";
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

/// Functions of _Float16 and __bf16 are those of float, rounded.
bool raiseInFloat(CallBase &Call, const MathFunction &Math) {
  RaiseBuilder Builder(Call);
  Type *Single = Builder.getFloatTy();
  SmallVector<Value *> Arguments;
  for (const Use &Argument : Call.args())
    Arguments.push_back(Builder.CreateFPExt(Argument, Single));
  Value *Wide = Builder.CreateCall(declareMath(Builder.module(), Math, Single, false), Arguments);
  replaceCall(Call, Builder.CreateFPTrunc(Wide, Call.getType()));
  return true;
}

/// norm(n, p) of a known and small number of components.
bool raiseNorm(CallBase &Call, StringRef Name) {
  Type *T = Call.getType();
  if (T->isFloatTy() && !Name.consume_back("f"))
    return false;
  if ((Name != "norm" && Name != "rnorm") || Call.arg_size() != 2 || !T->isFloatingPointTy())
    return false;
  const auto *Count = dyn_cast<ConstantInt>(Call.getArgOperand(0));
  if (!Count || Count->getZExtValue() < 2 || Count->getZExtValue() > 4)
    return false;
  bool IsReciprocal = Name == "rnorm";
  const StringRef Names[2][3] = {{"hypot", "norm3d", "norm4d"}, {"rhypot", "rnorm3d", "rnorm4d"}};
  unsigned N = static_cast<unsigned>(Count->getZExtValue());
  RaiseBuilder Builder(Call);
  SmallVector<Value *> Components;
  for (unsigned I = 0; I < N; ++I)
    Components.push_back(Builder.CreateLoad(T, Builder.CreateConstInBoundsGEP1_64(T, Call.getArgOperand(1), I)));
  Function *F = declareMath(Builder.module(), *findMathFunction(Names[IsReciprocal][N - 2]), T, false);
  replaceCall(Call, Builder.CreateCall(F, Components));
  return true;
}

} // namespace

bool kernix::raiseLibdevice(CallBase &Call, StringRef Name) {
  bool IsSingle, IsFast;
  if (const MathFunction *Math = findByLibdeviceName(Name, IsSingle, IsFast))
    return raiseTo(Call, *Math, IsSingle, IsFast);
  if (raiseLibdeviceNative(Call, Name) || raiseNative(Call, Name) || raiseNorm(Call, Name))
    return true;
  StringRef Rest = Name;
  IsFast = Rest.consume_front("fast_");
  return raisePair(Call, Rest, IsFast);
}

bool kernix::raiseHeaderMath(CallBase &Call, const MangledName &Symbol) {
  if (Symbol.Scope == "kernix_cpu_math") {
    StringRef Name = cpuHelper(Symbol.Name);
    if (!Name.empty())
      return raiseTo(Call, *findMathFunction(Name), false, false);
    Name = Symbol.Name == "bessel_i" ? besselHelper(Call) : StringRef();
    if (Name.empty())
      return false;
    RaiseBuilder Builder(Call);
    Function *F = declareMath(Builder.module(), *findMathFunction(Name), Builder.getDoubleTy(), false);
    replaceCall(Call, Builder.CreateCall(F, {Call.getArgOperand(1)}));
    return true;
  }
  // `__fadd_rz` and so on, which on the CPU change the rounding mode around assembly.
  StringRef Name = Symbol.Name;
  bool IsSingle, IsFast;
  if (!Symbol.Scope.empty() || !Name.consume_front("__"))
    return false;
  if (Name != "saturatef" && !Name.ends_with("_rz") && !Name.ends_with("_ru") && !Name.ends_with("_rd"))
    return false;
  const MathFunction *Math = findByLibdeviceName(Name, IsSingle, IsFast);
  if (!Math)
    return false;
  return raiseTo(Call, *Math, IsSingle, false);
}

/// `T std::__lerp(T, T, T)`, which all of std::lerp and cuda::std::lerp come to: `a` and `b` are compared and returned
/// there.
bool kernix::raiseStandardLerp(CallBase &Call) {
  StringRef Name = Call.getCalledFunction()->getName();
  if (Name.consume_front("_ZN4cuda3std")) {
    size_t Version; // an inline namespace
    if (Name.consumeInteger(10, Version) || Version > Name.size())
      return false;
    Name = Name.drop_front(Version);
  } else if (!Name.consume_front("_ZSt")) {
    return false;
  }
  if (!Name.consume_front("6__lerpI"))
    return false;
  Type *T = Name.starts_with("f")   ? Type::getFloatTy(Call.getContext())
            : Name.starts_with("d") ? Type::getDoubleTy(Call.getContext())
                                    : nullptr;
  return T && raiseTo(Call, *findMathFunction("lerp"), T->isFloatTy(), false);
}

bool kernix::raiseLibm(CallBase &Call, StringRef Name) {
  bool IsSingle;
  if (const MathFunction *Math = findByLibmName(Name, IsSingle))
    return raiseTo(Call, *Math, IsSingle, false);
  return raiseNative(Call, Name) || raiseComplex(Call, Name) || raisePair(Call, Name, false);
}

bool kernix::raiseMathIntrinsic(CallBase &Call) {
  Intrinsic::ID ID = Call.getIntrinsicID();
  Type *Type = Call.getType();
  if (const MathFunction *Math = findByIntrinsic(ID)) {
    if (Type->isHalfTy() || Type->isBFloatTy())
      return raiseInFloat(Call, *Math);
    return (Type->isFloatTy() || Type->isDoubleTy()) && raiseTo(Call, *Math, Type->isFloatTy(), false);
  }
  return raiseNativeIntrinsic(Call) || raisePairIntrinsic(Call);
}
