//===- Special.cpp - error, gamma and Bessel functions ----------------------------------------------------------===//

#include "Derivative/Rules/Formula.h"
#include "Derivative/Rules/Tables.h"

using namespace llvm;
using namespace kernix;

namespace {

constexpr double TwoOverRootPi = 1.12837916709551257390;
constexpr double HalfRootPi = 0.88622692545275801365;
constexpr double RootTwoPi = 2.50662827463100050242;
constexpr double InverseRootTwoPi = 0.39894228040143267794;

/// exp(-x * x), up to a constant factor the slope of erf.
Term gaussian(RuleContext &C) { return C.call("exp", {-square(C.x())}); }

/// 2 x erfcx(x) - 2 / sqrt(pi); both parts tend to each other, so beyond a point the asymptotic series.
Term erfcx(RuleContext &C, unsigned, Term By) {
  Term X = C.x();
  Term U = 0.5 / (X * X);
  Term Series = 1.0 - U * (3.0 - U * (15.0 - U * (105.0 - U * (945.0 - U * 10395.0))));
  Term Far = U * Series * -TwoOverRootPi;
  Term Near = X * C.result() * 2.0 - TwoOverRootPi;
  return By * select(isLess(C.isSingle() ? 8.0 : 64.0, X), Far, Near);
}

/// (order / x) f(x) with its limit at 0, for f of order 1: f(x) / x tends to 1/2.
Term overArgument(RuleContext &C, Term Value) { return select(isEqual(C.x(), 0.0), 0.5, Value / C.x()); }

/// (f(n - 1) - f(n + 1)) / 2, for both kinds of Bessel functions.
Term besselOfOrder(RuleContext &C, StringRef Name, Term By) {
  Value *Order = C.integer(0);
  Term Below = C.callWithInteger(Name, C.y(), C.addSaturating(Order, -1), 0);
  Term Above = C.callWithInteger(Name, C.y(), C.addSaturating(Order, 1), 0);
  // CUDA has no functions of negative order; that of order -1 is the negative of that of order 1.
  return By * select(C.integerIs(Order, 0), -Above, (Below - Above) * 0.5);
}

/// At 0 known without CUDA's jn, which is a NaN there: -x / 2, 1 / 2, x / 4 and 0, so that second derivatives are
/// right.
Term besselOfFirstKind(RuleContext &C, unsigned, Term By) {
  Value *Order = C.integer(0);
  Term Linear = select(C.integerIs(Order, 0), C.y() * -0.5, select(C.integerIs(Order, 2), C.y() * 0.25, 0.0));
  Term AtZero = By * select(C.integerIs(Order, 1), 0.5, Linear);
  return select(isEqual(C.y(), 0.0), AtZero, besselOfOrder(C, "jn", By));
}

const Rule Table[] = {
    {"erf", 1, [](RuleContext &C, unsigned, Term By) { return By * (gaussian(C) * TwoOverRootPi); }},
    {"erfc", 1, [](RuleContext &C, unsigned, Term By) { return By * (gaussian(C) * -TwoOverRootPi); }},
    {"erfcx", 1, erfcx},
    {"erfinv", 1,
     [](RuleContext &C, unsigned, Term By) { return By * (C.call("exp", {square(C.result())}) * HalfRootPi); }},
    {"erfcinv", 1,
     [](RuleContext &C, unsigned, Term By) { return By * (C.call("exp", {square(C.result())}) * -HalfRootPi); }},
    {"normcdf", 1,
     [](RuleContext &C, unsigned, Term By) { return By * (C.call("exp", {square(C.x()) * -0.5}) * InverseRootTwoPi); }},
    {"normcdfinv", 1,
     [](RuleContext &C, unsigned, Term By) { return By * (C.call("exp", {square(C.result()) * 0.5}) * RootTwoPi); }},

    {"lgamma", 1, [](RuleContext &C, unsigned, Term By) { return By * C.call("digamma", {C.x()}); }},
    {"tgamma", 1, [](RuleContext &C, unsigned, Term By) { return By * (C.result() * C.call("digamma", {C.x()})); }},
    {"digamma", 1,
     [](RuleContext &C, unsigned, Term By) {
       return By * C.callWithInteger("polygamma", C.x(), C.integerConstant(1), 0);
     }},
    {"polygamma", 2,
     [](RuleContext &C, unsigned, Term By) {
       return By * C.callWithInteger("polygamma", C.y(), C.addSaturating(C.integer(0), 1), 0);
     }},

    {"j0", 1, [](RuleContext &C, unsigned, Term By) { return By * -C.call("j1", {C.x()}); }},
    {"j1", 1,
     [](RuleContext &C, unsigned, Term By) { return By * (C.call("j0", {C.x()}) - overArgument(C, C.result())); }},
    {"jn", 2, besselOfFirstKind},
    {"y0", 1, [](RuleContext &C, unsigned, Term By) { return By * -C.call("y1", {C.x()}); }},
    {"y1", 1, [](RuleContext &C, unsigned, Term By) { return By * (C.call("y0", {C.x()}) - C.result() / C.x()); }},
    {"yn", 2, [](RuleContext &C, unsigned, Term By) { return besselOfOrder(C, "yn", By); }},
    {"cyl_bessel_i0", 1, [](RuleContext &C, unsigned, Term By) { return By * C.call("cyl_bessel_i1", {C.x()}); }},
    {"cyl_bessel_i1", 1,
     [](RuleContext &C, unsigned, Term By) {
       return By * (C.call("cyl_bessel_i0", {C.x()}) - overArgument(C, C.result()));
     }},
};

} // namespace

ArrayRef<Rule> kernix::specialRules() { return Table; }
