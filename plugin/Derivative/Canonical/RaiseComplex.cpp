//===- RaiseComplex.cpp - functions of complex numbers, of C and of std::complex --------------------------------===//
//
// On the CPU these are functions of C's library, which std::complex calls too. On a GPU std::complex has formulas of
// its own, whose derivatives are those of these functions. Only two of its functions choose formulas by comparisons
// that hold for single numbers, on the CPU or a GPU: a root of an imaginary number, a power of a real one. Their
// derivatives would be those along that line, so that they are not inlined.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Canonical/RaiseParts.h"
#include "Derivative/Prepare/CallScalars.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace kernix;

namespace {

/// All arguments as numbers of type T, two of a complex one; empty: there are others.
Scalars numbersOf(RaiseBuilder &B, CallBase &Call, Type *T) {
  Scalars Numbers;
  for (unsigned I = 0; I < sourceArguments(Call); ++I) {
    Type *Given = sourceArgument(Call, I)->getType();
    const auto *Vector = dyn_cast<FixedVectorType>(Given);
    if (Given->getScalarType() != T)
      return {};
    Numbers.append(readArgument(B, Call, I, T, Vector ? Vector->getNumElements() : 1));
  }
  return Numbers;
}

bool raiseToParts(RaiseBuilder &B, CallBase &Call, StringRef Name, Type *T, ArrayRef<Value *> Numbers) {
  const MathFunction *Real = findComplexPart(Name, false), *Imaginary = findComplexPart(Name, true);
  if (!Real || signatureOf(*Real, T)->getNumParams() != Numbers.size() || !returnsScalars(Call, T, 2))
    return false;
  Value *First = B.CreateCall(declareMath(B.module(), *Real, T, false), Numbers);
  Value *Second = B.CreateCall(declareMath(B.module(), *Imaginary, T, false), Numbers);
  replaceByScalars(B, Call, {First, Second});
  return true;
}

/// The absolute value or the argument.
bool raiseToNumber(RaiseBuilder &B, CallBase &Call, StringRef Name, Type *T, ArrayRef<Value *> Numbers) {
  if (Numbers.size() != 2 || Call.getType() != T)
    return false;
  bool IsAbs = Name == "cabs";
  const MathFunction *Math = findMathFunction(IsAbs ? "complex_abs" : "atan2");
  replaceCall(Call,
              B.CreateCall(declareMath(B.module(), *Math, T, false), {Numbers[IsAbs ? 0 : 1], Numbers[IsAbs ? 1 : 0]}));
  return true;
}

/// A product, for which the compiler's runtime library is called where infinities are to be right.
bool raiseProduct(RaiseBuilder &B, CallBase &Call, Type *T, ArrayRef<Value *> X) {
  if (X.size() != 4 || !returnsScalars(Call, T, 2))
    return false;
  Value *Real = B.CreateFSub(B.CreateFMul(X[0], X[2]), B.CreateFMul(X[1], X[3]));
  Value *Imaginary = B.CreateFAdd(B.CreateFMul(X[0], X[3]), B.CreateFMul(X[1], X[2]));
  replaceByScalars(B, Call, {Real, Imaginary});
  return true;
}

} // namespace

bool kernix::raiseComplex(CallBase &Call, StringRef Name) {
  const bool IsProduct = Name == "__mulsc3" || Name == "__muldc3";
  const bool IsQuotient = Name == "__divsc3" || Name == "__divdc3";
  // On a GPU the others have bodies.
  if (!IsProduct && Call.getModule()->getTargetTriple().isNVPTX())
    return false;
  if (!IsProduct && !IsQuotient && !Name.starts_with("c"))
    return false;
  const bool IsSingle = IsProduct || IsQuotient ? Name[5] == 's' : Name.consume_back("f");
  RaiseBuilder B(Call);
  Type *T = IsSingle ? B.getFloatTy() : B.getDoubleTy();
  const Scalars Numbers = numbersOf(B, Call, T);
  if (IsProduct)
    return raiseProduct(B, Call, T, Numbers);
  if (Name == "cabs" || Name == "carg")
    return raiseToNumber(B, Call, Name, T, Numbers);
  return raiseToParts(B, Call, IsQuotient ? "div" : Name.drop_front(), T, Numbers);
}

bool kernix::raiseStandardComplex(CallBase &Call) {
  StringRef Name = Call.getCalledFunction()->getName();
  if (!Name.consume_front("_ZSt"))
    return false;
  const bool IsRoot = Name.consume_front("4sqrtI");
  if (!IsRoot && !Name.consume_front("3powI"))
    return false;
  const bool IsSingle = Name.consume_front("f");
  if ((!IsSingle && !Name.consume_front("d")) || !Name.consume_front("ESt7complexIT_ERKS2_"))
    return false;
  const bool IsOfReal = Name == "RKS1_"; // a power
  if (IsRoot ? !Name.empty() : !IsOfReal && Name != "S4_")
    return false;
  RaiseBuilder B(Call);
  Type *T = IsSingle ? B.getFloatTy() : B.getDoubleTy();
  if (!returnsScalars(Call, T, 2))
    return false;
  Scalars Numbers;
  for (unsigned I = 0; I < sourceArguments(Call); ++I)
    Numbers.append(loadScalars(B, sourceArgument(Call, I), T, I && IsOfReal ? 1 : 2, {}));
  return raiseToParts(B, Call, IsRoot ? "sqrt" : IsOfReal ? "pow_of_real" : "pow", T, Numbers);
}
