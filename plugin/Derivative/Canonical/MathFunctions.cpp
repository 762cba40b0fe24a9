//===- MathFunctions.cpp - the canonical functions and their names on each target -------------------------------===//

#include "Derivative/Canonical/MathFunctions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

// Both parts of a complex number, whose arguments are the parts of others.
#define COMPLEX_PARTS(name, signature) {name "_real", signature, "", ""}, {name "_imaginary", signature, "", ""}

// What both targets have as an LLVM intrinsic (fabs, fma, floor ...) is not here: see RaiseNative.cpp.
const MathFunction Table[] = {
    {"acos", "tt", "acos", "acos", Intrinsic::acos},
    {"acosh", "tt", "acosh", "acosh"},
    {"asin", "tt", "asin", "asin", Intrinsic::asin},
    {"asinh", "tt", "asinh", "asinh"},
    {"atan", "tt", "atan", "atan", Intrinsic::atan},
    {"atan2", "ttt", "atan2", "atan2", Intrinsic::atan2},
    {"atanh", "tt", "atanh", "atanh"},
    {"cbrt", "tt", "cbrt", "cbrt"},
    {"cos", "tt", "cos", "cos", Intrinsic::cos},
    {"cosh", "tt", "cosh", "cosh", Intrinsic::cosh},
    {"cospi", "tt", "cospi", ""},
    {"cyl_bessel_i0", "tt", "cyl_bessel_i0", ""},
    {"cyl_bessel_i1", "tt", "cyl_bessel_i1", ""},
    {"digamma", "tt", "", ""},
    {"erf", "tt", "erf", "erf"},
    {"erfc", "tt", "erfc", "erfc"},
    {"erfcinv", "tt", "erfcinv", ""},
    {"erfcx", "tt", "erfcx", ""},
    {"erfinv", "tt", "erfinv", ""},
    {"exp", "tt", "exp", "exp", Intrinsic::exp},
    {"exp10", "tt", "exp10", "exp10", Intrinsic::exp10},
    {"exp2", "tt", "exp2", "exp2", Intrinsic::exp2},
    {"expm1", "tt", "expm1", "expm1"},
    {"fdim", "ttt", "fdim", "fdim"},
    {"fdivide", "ttt", "", ""},
    {"fmod", "ttt", "fmod", "fmod"},
    {"hypot", "ttt", "hypot", "hypot"},
    {"ilogb", "it", "ilogb", "ilogb"},
    {"j0", "tt", "j0", "j0"},
    {"j1", "tt", "j1", "j1"},
    {"jn", "tit", "jn", "jn"},
    {"ldexp", "tti", "ldexp", "ldexp"},
    {"lerp", "tttt", "", ""},
    {"lgamma", "tt", "lgamma", "lgamma"},
    {"llrint", "lt", "llrint", "llrint"},
    {"llround", "lt", "llround", "llround"},
    {"log", "tt", "log", "log", Intrinsic::log},
    {"log10", "tt", "log10", "log10", Intrinsic::log10},
    {"log1p", "tt", "log1p", "log1p"},
    {"log2", "tt", "log2", "log2", Intrinsic::log2},
    {"logb", "tt", "logb", "logb"},
    {"nextafter", "ttt", "nextafter", "nextafter"},
    {"norm3d", "tttt", "norm3d", ""},
    {"norm4d", "ttttt", "norm4d", ""},
    {"normcdf", "tt", "normcdf", ""},
    {"normcdfinv", "tt", "normcdfinv", ""},
    {"polygamma", "tit", "", ""},
    {"pow", "ttt", "pow", "pow", Intrinsic::pow},
    {"powi", "tti", "powi", ""},
    {"rcbrt", "tt", "rcbrt", ""},
    {"remainder", "ttt", "remainder", "remainder"},
    {"rhypot", "ttt", "rhypot", ""},
    {"rnorm3d", "tttt", "rnorm3d", ""},
    {"rnorm4d", "ttttt", "rnorm4d", ""},
    {"rsqrt", "tt", "rsqrt", ""},
    {"saturate", "tt", "", "", 0, "saturatef"},
    {"sin", "tt", "sin", "sin", Intrinsic::sin},
    {"sinh", "tt", "sinh", "sinh", Intrinsic::sinh},
    {"sinpi", "tt", "sinpi", ""},
    {"sqrt", "tt", "sqrt", "sqrt", Intrinsic::sqrt},
    {"tan", "tt", "tan", "tan", Intrinsic::tan},
    {"tanh", "tt", "tanh", "tanh", Intrinsic::tanh},
    {"tgamma", "tt", "tgamma", "tgamma"},
    {"y0", "tt", "y0", "y0"},
    {"y1", "tt", "y1", "y1"},
    {"yn", "tit", "yn", "yn"},

    // hypot with a derivative at 0. (By the names of the libraries, that one is found.)
    {"complex_abs", "ttt", "hypot", "hypot"},

    // Parts of functions that return several values.
    COMPLEX_PARTS("complex_acos", "ttt"),
    COMPLEX_PARTS("complex_acosh", "ttt"),
    COMPLEX_PARTS("complex_asin", "ttt"),
    COMPLEX_PARTS("complex_asinh", "ttt"),
    COMPLEX_PARTS("complex_atan", "ttt"),
    COMPLEX_PARTS("complex_atanh", "ttt"),
    COMPLEX_PARTS("complex_cos", "ttt"),
    COMPLEX_PARTS("complex_cosh", "ttt"),
    COMPLEX_PARTS("complex_div", "ttttt"),
    COMPLEX_PARTS("complex_exp", "ttt"),
    COMPLEX_PARTS("complex_log", "ttt"),
    COMPLEX_PARTS("complex_pow", "ttttt"),
    COMPLEX_PARTS("complex_pow_of_real", "tttt"),
    COMPLEX_PARTS("complex_sin", "ttt"),
    COMPLEX_PARTS("complex_sinh", "ttt"),
    COMPLEX_PARTS("complex_sqrt", "ttt"),
    COMPLEX_PARTS("complex_tan", "ttt"),
    COMPLEX_PARTS("complex_tanh", "ttt"),
    {"frexp_exponent", "it", "", ""},
    {"frexp_mantissa", "tt", "", ""},
    {"modf_fraction", "tt", "", ""},
    {"remquo_quotient", "itt", "", ""},

    // Arithmetic that rounds otherwise than instructions do.
    {"add_rz", "ttt", "dadd_rz", "", 0, "fadd_rz"},
    {"add_ru", "ttt", "dadd_ru", "", 0, "fadd_ru"},
    {"add_rd", "ttt", "dadd_rd", "", 0, "fadd_rd"},
    {"sub_rz", "ttt", "dsub_rz", "", 0, "fsub_rz"},
    {"sub_ru", "ttt", "dsub_ru", "", 0, "fsub_ru"},
    {"sub_rd", "ttt", "dsub_rd", "", 0, "fsub_rd"},
    {"mul_rz", "ttt", "dmul_rz", "", 0, "fmul_rz"},
    {"mul_ru", "ttt", "dmul_ru", "", 0, "fmul_ru"},
    {"mul_rd", "ttt", "dmul_rd", "", 0, "fmul_rd"},
    {"div_rz", "ttt", "ddiv_rz", "", 0, "fdiv_rz"},
    {"div_ru", "ttt", "ddiv_ru", "", 0, "fdiv_ru"},
    {"div_rd", "ttt", "ddiv_rd", "", 0, "fdiv_rd"},
    {"fma_rz", "tttt", "fma_rz", "", 0, "fmaf_rz"},
    {"fma_ru", "tttt", "fma_ru", "", 0, "fmaf_ru"},
    {"fma_rd", "tttt", "fma_rd", "", 0, "fmaf_rd"},
    {"rcp_rz", "tt", "drcp_rz", "", 0, "frcp_rz"},
    {"rcp_ru", "tt", "drcp_ru", "", 0, "frcp_ru"},
    {"rcp_rd", "tt", "drcp_rd", "", 0, "frcp_rd"},
    {"sqrt_rn", "tt", "dsqrt_rn", "", 0, "fsqrt_rn"},
    {"sqrt_rz", "tt", "dsqrt_rz", "", 0, "fsqrt_rz"},
    {"sqrt_ru", "tt", "dsqrt_ru", "", 0, "fsqrt_ru"},
    {"sqrt_rd", "tt", "dsqrt_rd", "", 0, "fsqrt_rd"},
    {"rsqrt_rn", "tt", "", "", 0, "frsqrt_rn"},
    {"double2float_rz", "td", "", "", 0, "double2float_rz"},
    {"double2float_ru", "td", "", "", 0, "double2float_ru"},
    {"double2float_rd", "td", "", "", 0, "double2float_rd"},
};

#undef COMPLEX_PARTS

struct FastName {
  StringRef Name, Libdevice;
};
const FastName FastTable[] = {
    {"cos", "fast_cosf"}, {"exp", "fast_expf"},     {"exp10", "fast_exp10f"}, {"fdivide", "fast_fdividef"},
    {"log", "fast_logf"}, {"log10", "fast_log10f"}, {"log2", "fast_log2f"},   {"pow", "fast_powf"},
    {"sin", "fast_sinf"}, {"tan", "fast_tanf"},     {"tanh", "fast_tanhf"},
};

} // namespace

const MathFunction *kernix::findMathFunction(StringRef Name) {
  static const StringMap<const MathFunction *> Index = [] {
    StringMap<const MathFunction *> Result;
    for (const MathFunction &Math : Table)
      Result[Math.Name] = &Math;
    return Result;
  }();
  return Index.lookup(Name);
}

const MathFunction *kernix::findComplexPart(StringRef Name, bool IsImaginary) {
  SmallString<32> Full("complex_");
  Full += Name;
  Full += IsImaginary ? "_imaginary" : "_real";
  return findMathFunction(Full);
}

const MathFunction *kernix::findByLibdeviceName(StringRef Name, bool &IsSingle, bool &IsFast) {
  IsFast = false;
  for (const FastName &Fast : FastTable)
    if (Fast.Libdevice == Name) {
      IsSingle = IsFast = true;
      return findMathFunction(Fast.Name);
    }
  for (const MathFunction &Math : Table) {
    StringRef Rest = Name;
    if (!Math.LibdeviceSingle.empty() && Math.LibdeviceSingle == Name) {
      IsSingle = true;
      return &Math;
    }
    if (Math.Libdevice.empty() || !Rest.consume_front(Math.Libdevice))
      continue;
    if (Rest.empty() || (Rest == "f" && Math.LibdeviceSingle.empty())) {
      IsSingle = !Rest.empty();
      return &Math;
    }
  }
  return nullptr;
}

const MathFunction *kernix::findByLibmName(StringRef Name, bool &IsSingle) {
  // glibc's names for -ffinite-math-only.
  if (Name.consume_front("__") && !Name.consume_back("_finite"))
    return nullptr;
  for (bool Single : {false, true}) {
    if (Single && !Name.consume_back("f"))
      return nullptr;
    const MathFunction *Math = findMathFunction(Name);
    if (Math && Math->Libm == Name) {
      IsSingle = Single;
      return Math;
    }
  }
  return nullptr;
}

const MathFunction *kernix::findByIntrinsic(Intrinsic::ID ID) {
  if (ID == Intrinsic::not_intrinsic)
    return nullptr;
  for (const MathFunction &Math : Table)
    if (Math.Intrinsic == ID)
      return &Math;
  return nullptr;
}

StringRef kernix::fastLibdeviceName(StringRef Name) {
  for (const FastName &Fast : FastTable)
    if (Fast.Name == Name)
      return Fast.Libdevice;
  return {};
}

StringRef kernix::typeSuffix(const Type *Type) {
  if (Type->isHalfTy())
    return "f16";
  if (Type->isBFloatTy())
    return "bf16";
  if (Type->isFloatTy())
    return "f32";
  if (Type->isDoubleTy())
    return "f64";
  return {};
}

std::optional<CanonicalName> kernix::parseCanonicalName(const Function &F) {
  StringRef Name = F.getName();
  if (!Name.consume_front("kernix."))
    return std::nullopt;
  bool IsFast = Name.consume_front("fast.");
  auto [Base, Suffix] = Name.rsplit('.');
  LLVMContext &Context = F.getContext();
  Type *Type = Suffix == "f32"    ? Type::getFloatTy(Context)
               : Suffix == "f64"  ? Type::getDoubleTy(Context)
               : Suffix == "f16"  ? Type::getHalfTy(Context)
               : Suffix == "bf16" ? Type::getBFloatTy(Context)
                                  : nullptr;
  if (!Type)
    return std::nullopt;
  return CanonicalName{Base, Type, IsFast};
}

FunctionType *kernix::signatureOf(const MathFunction &Math, Type *Floating) {
  LLVMContext &Context = Floating->getContext();
  SmallVector<Type *> Types;
  for (char Letter : Math.Signature)
    Types.push_back(Letter == 't'   ? Floating
                    : Letter == 'i' ? static_cast<Type *>(Type::getInt32Ty(Context))
                    : Letter == 'l' ? static_cast<Type *>(Type::getInt64Ty(Context))
                                    : static_cast<Type *>(Type::getDoubleTy(Context)));
  return FunctionType::get(Types.front(), ArrayRef(Types).drop_front(), false);
}

Function *kernix::declareCanonical(Module &M, const Twine &Name, FunctionType *Type) {
  SmallString<64> Storage;
  StringRef Full = Name.toStringRef(Storage);
  if (Function *Existing = M.getFunction(Full))
    return Existing;
  Function *F = Function::Create(Type, GlobalValue::ExternalLinkage, Full, M);
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setDoesNotFreeMemory();
  F->setNoSync();
  F->addFnAttr(Attribute::NoCallback);
  return F;
}

Function *kernix::declareMath(Module &M, const MathFunction &Math, Type *Type, bool IsFast) {
  return declareCanonical(M, Twine("kernix.") + (IsFast ? "fast." : "") + Math.Name + "." + typeSuffix(Type),
                          signatureOf(Math, Type));
}
