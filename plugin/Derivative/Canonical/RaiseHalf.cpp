//===- RaiseHalf.cpp - half and bfloat16: arithmetic, comparisons, math -----------------------------------------===//
//
// CUDA's headers write these functions in PTX, the CPU target's in integer arithmetic where rounding asks for it. Here
// they become instructions on `half` and `bfloat`; math functions are those of float, rounded. Functions on pairs are
// the same on each element. Rounding in other directions than to nearest is left alone.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Canonical/NarrowTypes.h"
#include "Derivative/Prepare/CallScalars.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

Value *mathInFloat(RaiseBuilder &Builder, StringRef Name, Value *X) {
  Type *Single = Builder.getFloatTy();
  Function *F = declareMath(Builder.module(), *findMathFunction(Name), Single, false);
  return Builder.CreateFPTrunc(Builder.CreateCall(F, {Builder.CreateFPExt(X, Single)}), X->getType());
}

using Operands = ArrayRef<Value *>;

struct NarrowFunction {
  StringRef Name; ///< of the function on one number
  unsigned Arity;
  Value *(*Emit)(RaiseBuilder &, Operands);
};

Value *add(RaiseBuilder &B, Operands X) { return B.CreateFAdd(X[0], X[1]); }
Value *subtract(RaiseBuilder &B, Operands X) { return B.CreateFSub(X[0], X[1]); }
Value *multiply(RaiseBuilder &B, Operands X) { return B.CreateFMul(X[0], X[1]); }
Value *divide(RaiseBuilder &B, Operands X) { return B.CreateFDiv(X[0], X[1]); }
Value *multiplyAdd(RaiseBuilder &B, Operands X) { return B.CreateIntrinsic(Intrinsic::fma, {X[0]->getType()}, X); }
Value *saturate(RaiseBuilder &B, Value *X) { return mathInFloat(B, "saturate", X); }
/// Keeps a NaN.
Value *relu(RaiseBuilder &B, Value *X) {
  Value *Zero = ConstantFP::get(X->getType(), 0.0);
  return B.CreateSelect(B.CreateFCmpUGT(X, Zero), X, Zero);
}
template <Intrinsic::ID ID> Value *unary(RaiseBuilder &B, Operands X) { return B.CreateUnaryIntrinsic(ID, X[0]); }
template <Intrinsic::ID ID> Value *binary(RaiseBuilder &B, Operands X) {
  return B.CreateBinaryIntrinsic(ID, X[0], X[1]);
}

const NarrowFunction Functions[] = {
    {"__hadd", 2, add},
    {"__hadd_rn", 2, add},
    {"__hadd_sat", 2, [](RaiseBuilder &B, Operands X) { return saturate(B, add(B, X)); }},
    {"__hsub", 2, subtract},
    {"__hsub_rn", 2, subtract},
    {"__hsub_sat", 2, [](RaiseBuilder &B, Operands X) { return saturate(B, subtract(B, X)); }},
    {"__hmul", 2, multiply},
    {"__hmul_rn", 2, multiply},
    {"__hmul_sat", 2, [](RaiseBuilder &B, Operands X) { return saturate(B, multiply(B, X)); }},
    {"__hdiv", 2, divide},
    {"__hfma", 3, multiplyAdd},
    {"__hfma_sat", 3, [](RaiseBuilder &B, Operands X) { return saturate(B, multiplyAdd(B, X)); }},
    {"__hfma_relu", 3, [](RaiseBuilder &B, Operands X) { return relu(B, multiplyAdd(B, X)); }},
    {"__hneg", 1, [](RaiseBuilder &B, Operands X) { return B.CreateFNeg(X[0]); }},
    {"__habs", 1, unary<Intrinsic::fabs>},
    {"__hmax", 2, binary<Intrinsic::maxnum>},
    {"__hmin", 2, binary<Intrinsic::minnum>},
    {"__hmax_nan", 2, binary<Intrinsic::maximum>},
    {"__hmin_nan", 2, binary<Intrinsic::minimum>},
    {"hceil", 1, unary<Intrinsic::ceil>},
    {"hfloor", 1, unary<Intrinsic::floor>},
    {"hrint", 1, unary<Intrinsic::rint>},
    {"htrunc", 1, unary<Intrinsic::trunc>},
    {"hrcp", 1, [](RaiseBuilder &B, Operands X) { return B.CreateFDiv(ConstantFP::get(X[0]->getType(), 1.0), X[0]); }},
};

struct NarrowMath {
  StringRef Name, Math;
};
const NarrowMath MathNames[] = {
    {"hcos", "cos"}, {"hexp", "exp"},     {"hexp10", "exp10"}, {"hexp2", "exp2"},
    {"hlog", "log"}, {"hlog10", "log10"}, {"hlog2", "log2"},   {"hrsqrt", "rsqrt"},
    {"hsin", "sin"}, {"hsqrt", "sqrt"},   {"htanh", "tanh"},   {"htanh_approx", "tanh"},
};

struct NarrowComparison {
  StringRef Name;
  CmpInst::Predicate Predicate;
};
const NarrowComparison Comparisons[] = {
    {"eq", CmpInst::FCMP_OEQ}, {"equ", CmpInst::FCMP_UEQ}, {"ge", CmpInst::FCMP_OGE}, {"geu", CmpInst::FCMP_UGE},
    {"gt", CmpInst::FCMP_OGT}, {"gtu", CmpInst::FCMP_UGT}, {"le", CmpInst::FCMP_OLE}, {"leu", CmpInst::FCMP_ULE},
    {"lt", CmpInst::FCMP_OLT}, {"ltu", CmpInst::FCMP_ULT}, {"ne", CmpInst::FCMP_ONE}, {"neu", CmpInst::FCMP_UNE},
};

/// The operands of one element of every argument; false if an argument is none of the kind.
bool readOperands(RaiseBuilder &Builder, CallBase &Call, const NarrowKind &Kind, unsigned Arity,
                  SmallVectorImpl<Scalars> &Arguments) {
  if (sourceArguments(Call) != Arity)
    return false;
  for (unsigned I = 0; I < Arity; ++I) {
    Arguments.push_back(readArgument(Builder, Call, I, Kind.Scalar, Kind.Count));
    if (Arguments.back().empty())
      return false;
  }
  return true;
}

/// Calls Emit for each element.
Scalars forEachElement(ArrayRef<Scalars> Arguments, function_ref<Value *(Operands)> Emit) {
  Scalars Results;
  for (unsigned Element = 0; Element < Arguments.front().size(); ++Element) {
    Scalars Elements;
    for (const Scalars &Argument : Arguments)
      Elements.push_back(Argument[Element]);
    Results.push_back(Emit(Elements));
  }
  return Results;
}

bool raiseFunction(CallBase &Call, const NarrowKind &Kind, unsigned Arity,
                   function_ref<Value *(RaiseBuilder &, Operands)> Emit) {
  RaiseBuilder Builder(Call);
  SmallVector<Scalars, 3> Arguments;
  if (!returnsScalars(Call, Kind.Scalar, Kind.Count) || !readOperands(Builder, Call, Kind, Arity, Arguments))
    return false;
  replaceByScalars(Builder, Call, forEachElement(Arguments, [&](Operands X) { return Emit(Builder, X); }));
  return true;
}

/// A bool for one number, 1 or 0 for each of a pair, or (`__hbgt2`) a bool for whether it holds for both.
bool raiseComparison(CallBase &Call, const NarrowKind &Kind, unsigned Arity, bool ForBoth,
                     function_ref<Value *(RaiseBuilder &, Operands)> Compare) {
  RaiseBuilder Builder(Call);
  bool GivesBool = Call.getType()->isIntegerTy(1);
  if (GivesBool ? Kind.Count != 1 && !ForBoth : !returnsScalars(Call, Kind.Scalar, Kind.Count))
    return false;
  SmallVector<Scalars, 2> Arguments;
  if (!readOperands(Builder, Call, Kind, Arity, Arguments))
    return false;
  Scalars Results = forEachElement(Arguments, [&](Operands X) { return Compare(Builder, X); });
  if (GivesBool) {
    Value *All = Results[0];
    for (Value *Result : drop_begin(Results))
      All = Builder.CreateAnd(All, Result);
    replaceCall(Call, All);
    return true;
  }
  for (Value *&Result : Results)
    Result = Builder.CreateUIToFP(Result, Kind.Scalar);
  replaceByScalars(Builder, Call, Results);
  return true;
}

} // namespace

bool kernix::raiseHalf(CallBase &Call, const MangledName &Symbol) {
  std::optional<NarrowKind> Kind = narrowKind(Call.getContext(), Symbol);
  if (!Kind)
    return false;
  std::string Single = nameForOne(Symbol.Name, *Kind);
  StringRef Name = Single;
  for (const NarrowFunction &F : Functions)
    if (F.Name == Name)
      return raiseFunction(Call, *Kind, F.Arity, F.Emit);
  for (const NarrowMath &Math : MathNames)
    if (Math.Name == Name)
      return raiseFunction(Call, *Kind, 1,
                           [&](RaiseBuilder &B, Operands X) { return mathInFloat(B, Math.Math, X[0]); });
  if (Name == "__hisnan")
    return raiseComparison(Call, *Kind, 1, false,
                           [](RaiseBuilder &B, Operands X) { return B.CreateFCmpUNO(X[0], X[0]); });
  if (Name == "__hisinf")
    return false; // an int with a sign
  if (!Name.consume_front("__h"))
    return false;
  bool ForBoth = Name.consume_front("b");
  for (const NarrowComparison &Comparison : Comparisons)
    if (Comparison.Name == Name)
      return raiseComparison(Call, *Kind, 2, ForBoth, [&](RaiseBuilder &B, Operands X) {
        return B.CreateFCmp(Comparison.Predicate, X[0], X[1]);
      });
  return false;
}
