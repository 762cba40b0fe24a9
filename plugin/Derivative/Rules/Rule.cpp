//===- Rule.cpp - finding and applying rules --------------------------------------------------------------------===//

#include "Derivative/Rules/Rule.h"
#include "Derivative/Canonical/MathFunctions.h"
#include "Derivative/Rules/Formula.h"
#include "Derivative/Rules/Tables.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace kernix;

namespace {

const Rule NoDerivative = {"conversion to an integer", 1, nullptr};

/// llvm.nvvm.f2i.rn and its like, which libdevice's __float2int_rn is. Not llvm.nvvm.d2i.lo, which gives bits.
bool isConversionToInteger(const Function &F) {
  StringRef Name = F.getName();
  if (!Name.consume_front("llvm.nvvm.f2") && !Name.consume_front("llvm.nvvm.d2"))
    return false;
  auto [Integer, Rounding] = Name.split('.');
  Rounding.consume_back(".ftz");
  return is_contained({"i", "ui", "ll", "ull"}, Integer) && is_contained({"rn", "rz", "rm", "rp"}, Rounding);
}

} // namespace

ArrayRef<ArrayRef<Rule>> kernix::ruleTables() {
  static const ArrayRef<Rule> Tables[] = {exponentialRules(), trigonometricRules(), powerRules(),  specialRules(),
                                          piecewiseRules(),   complexRules(),       roundedRules()};
  return Tables;
}

const Rule *kernix::findRule(const Function &Raised) {
  static const StringMap<const Rule *> Index = [] {
    StringMap<const Rule *> Result;
    for (ArrayRef<Rule> Table : ruleTables())
      for (const Rule &R : Table)
        Result[R.Name] = &R;
    return Result;
  }();
  StringRef Name;
  if (isConversionToInteger(Raised))
    return &NoDerivative;
  if (Raised.isIntrinsic())
    Name = Intrinsic::getBaseName(Raised.getIntrinsicID());
  else if (std::optional<CanonicalName> Canonical = parseCanonicalName(Raised))
    Name = Canonical->Name;
  const Rule *Found = Index.lookup(Name);
  return Found && Found->Arity == Raised.arg_size() ? Found : nullptr;
}

Value *kernix::scaleBy(IRBuilderBase &Builder, const CallBase &Call, ArrayRef<Value *> Operands, Value *Result,
                       unsigned Operand, Value *By) {
  const Rule *R = findRule(*Call.getCalledFunction());
  assert(R && "scaleBy without a rule");
  Type *From = Call.getArgOperand(Operand)->getType();
  if (!R->Scale || !From->isFPOrFPVectorTy())
    return nullptr;
  // nnan and ninf would be promises about the derivative that the source has not made.
  IRBuilderBase::FastMathFlagGuard Guard(Builder);
  FastMathFlags Flags;
  if (isa<FPMathOperator>(Call)) {
    FastMathFlags Given = Call.getFastMathFlags();
    Flags.setAllowContract(Given.allowContract());
    Flags.setAllowReassoc(Given.allowReassoc());
    Flags.setAllowReciprocal(Given.allowReciprocal());
    Flags.setApproxFunc(Given.approxFunc());
    Flags.setNoSignedZeros(Given.noSignedZeros());
  }
  Builder.setFastMathFlags(Flags);
  RuleContext C(&Builder, Call, Operands, Result);
  // A conversion (double to float) has By in one type and the answer in the other.
  Type *To = By->getType() == From ? Call.getType() : From;
  Term Answer = R->Scale(C, Operand, Term(C, By));
  if (Answer.isZero())
    return nullptr;
  Value *V = Answer.value(C);
  return V->getType() == To ? V : Builder.CreateFPCast(V, To);
}

RuleNeeds kernix::needsOf(const CallBase &Call, unsigned Operand) {
  RuleContext C(nullptr, Call, {}, nullptr);
  const Rule *R = findRule(*Call.getCalledFunction());
  assert(R && "needsOf without a rule");
  if (R->Scale && Call.getArgOperand(Operand)->getType()->isFPOrFPVectorTy())
    R->Scale(C, Operand, Term(C, C.poison()));
  return C.Needs;
}
