//===- Powers.cpp - powers, roots and norms ---------------------------------------------------------------------===//

#include "Derivative/Rules/Formula.h"
#include "Derivative/Rules/Tables.h"
#include <limits>

using namespace llvm;
using namespace kernix;

namespace {

/// x to a power that is known, without pow where a few products do.
Term constantPower(RuleContext &C, double Exponent) {
  Term X = C.x();
  if (Exponent == 0.0)
    return 1.0;
  if (Exponent == 1.0)
    return X;
  if (Exponent == 2.0)
    return X * X;
  if (Exponent == 3.0)
    return X * X * X;
  if (Exponent == 0.5)
    return C.call("sqrt", {X});
  if (Exponent == -0.5)
    return C.call("rsqrt", {X});
  if (Exponent == -1.0)
    return 1.0 / X;
  if (Exponent == -2.0)
    return 1.0 / (X * X);
  return C.call("pow", {X, Exponent});
}

Term pow(RuleContext &C, unsigned Operand, Term By) {
  if (Operand == 1)
    // 0 to a positive power stays 0 when the power changes; log would say -inf.
    return By * select(both(isEqual(C.x(), 0.0), isAtMost(0.0, C.y())), 0.0, C.result() * C.call("log", {C.x()}));
  if (const ConstantFP *Constant = C.constantOperand(1)) {
    double Exponent = Constant->getValueAPF().convertToDouble();
    return Exponent == 0.0 ? Term() : By * (constantPower(C, Exponent - 1.0) * Exponent);
  }
  // The factor y stays: it has a derivative where it is 0, too.
  Term Power = C.call("pow", {C.x(), C.y() - 1.0});
  Condition IsFinite = isLess(C.intrinsic(Intrinsic::fabs, {Power}), std::numeric_limits<double>::infinity());
  return By * (C.y() * select(IsFinite, Power, select(isEqual(C.y(), 0.0), 0.0, Power)));
}

Term powi(RuleContext &C, unsigned, Term By) {
  Value *Exponent = C.integer(1);
  if (auto *Constant = dyn_cast<ConstantInt>(Exponent); Constant && Constant->getValue().abs().ult(4)) {
    double Known = static_cast<double>(Constant->getSExtValue());
    return Known == 0.0 ? Term() : By * (constantPower(C, Known - 1.0) * Known);
  }
  Term Slope = C.fromInteger(Exponent) * C.callWithInteger("powi", C.x(), C.addSaturating(Exponent, -1), 1);
  return By * select(C.integerIs(Exponent, 0), 0.0, Slope);
}

/// 0 at the origin, as torch.linalg.vector_norm has it.
Term norm(RuleContext &C, unsigned Operand, Term By) {
  return By * select(isEqual(C.result(), 0.0), 0.0, C.operand(Operand) / C.result());
}

Term reciprocalNorm(RuleContext &C, unsigned Operand, Term By) {
  return By * -(C.operand(Operand) * C.result() * C.result() * C.result());
}

const Rule Table[] = {
    {"sqrt", 1, [](RuleContext &C, unsigned, Term By) { return By / (C.result() * 2.0); }},
    {"rsqrt", 1, [](RuleContext &C, unsigned, Term By) { return By * (C.result() * C.result() * C.result() * -0.5); }},
    {"cbrt", 1, [](RuleContext &C, unsigned, Term By) { return By / (square(C.result()) * 3.0); }},
    {"rcbrt", 1, [](RuleContext &C, unsigned, Term By) { return By * (square(square(C.result())) * (-1.0 / 3.0)); }},
    {"pow", 2, pow},
    {"powi", 2, powi},
    // Not a number at the origin, as torch.hypot has it.
    {"hypot", 2, [](RuleContext &C, unsigned Operand, Term By) { return By * (C.operand(Operand) / C.result()); }},
    {"rhypot", 2, reciprocalNorm},
    {"norm3d", 3, norm},
    {"norm4d", 4, norm},
    {"rnorm3d", 3, reciprocalNorm},
    {"rnorm4d", 4, reciprocalNorm},
};

} // namespace

ArrayRef<Rule> kernix::powerRules() { return Table; }
