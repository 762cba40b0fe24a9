//===- Trigonometric.cpp - trigonometric functions and their inverses -------------------------------------------===//

#include "Derivative/Rules/Formula.h"
#include "Derivative/Rules/Tables.h"
#include <numbers>

using namespace llvm;
using namespace kernix;
using std::numbers::pi;

namespace {

/// x / (x^2 + y^2) and -y / (x^2 + y^2) with their numerator and denominator divided by the larger of both, whose
/// square might be infinite or nothing. 0 at the origin, as in PyTorch.
Term atan2(RuleContext &C, unsigned Operand, Term By) {
  Term Y = C.x(), X = C.y();
  Condition IsSteep = isLess(C.intrinsic(Intrinsic::fabs, {X}), C.intrinsic(Intrinsic::fabs, {Y}));
  Term Larger = select(IsSteep, Y, X), Ratio = select(IsSteep, X, Y) / Larger;
  Term Inverse = 1.0 / (Larger + select(IsSteep, X, Y) * Ratio);
  Term Slope = Operand == 0 ? select(IsSteep, Ratio, 1.0) * Inverse : -(select(IsSteep, 1.0, Ratio) * Inverse);
  return By * select(both(isEqual(X, 0.0), isEqual(Y, 0.0)), 0.0, Slope);
}

const Rule Table[] = {
    {"sin", 1, [](RuleContext &C, unsigned, Term By) { return By * C.call("cos", {C.x()}); }},
    {"cos", 1, [](RuleContext &C, unsigned, Term By) { return By * -C.call("sin", {C.x()}); }},
    {"tan", 1, [](RuleContext &C, unsigned, Term By) { return By * (square(C.result()) + 1.0); }},
    {"sinpi", 1, [](RuleContext &C, unsigned, Term By) { return By * (C.call("cospi", {C.x()}) * pi); }},
    {"cospi", 1, [](RuleContext &C, unsigned, Term By) { return By * (C.call("sinpi", {C.x()}) * -pi); }},
    // As products: 1 - x * x would cancel near 1.
    {"asin", 1,
     [](RuleContext &C, unsigned, Term By) { return By * C.call("rsqrt", {(1.0 - C.x()) * (1.0 + C.x())}); }},
    {"acos", 1,
     [](RuleContext &C, unsigned, Term By) { return By * -C.call("rsqrt", {(1.0 - C.x()) * (1.0 + C.x())}); }},
    {"atan", 1, [](RuleContext &C, unsigned, Term By) { return By / (square(C.x()) + 1.0); }},
    {"atan2", 2, atan2},
};

} // namespace

ArrayRef<Rule> kernix::trigonometricRules() { return Table; }
