//===- RaiseMath.cpp - libdevice, the C library and LLVM's math intrinsics --------------------------------------===//

#include "Derivative/MathFunctions.h"
#include "Derivative/RaiseParts.h"
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
  return raiseNativeIntrinsic(Call) || raisePairIntrinsic(Call);
}
