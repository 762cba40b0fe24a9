//===- Exponential.cpp - exponentials, logarithms and hyperbolic functions --------------------------------------===//

#include "Derivative/Rules/Formula.h"
#include "Derivative/Rules/Tables.h"
#include <numbers>

using namespace llvm;
using namespace kernix;
using std::numbers::ln10;
using std::numbers::ln2;

namespace {

/// 1 / sqrt(x^2 + 1) or 1 / sqrt(x^2 - 1), whose Squares differ from x^2 by 1. Of large numbers the square is infinite.
Term inverseRoot(RuleContext &C, Term Squares) {
  Term Size = C.intrinsic(Intrinsic::fabs, {C.x()});
  return select(isLess(Size, C.isSingle() ? 0x1p30 : 0x1p60), C.call("rsqrt", {Squares}), 1.0 / Size);
}

const Rule Table[] = {
    {"exp", 1, [](RuleContext &C, unsigned, Term By) { return By * C.result(); }},
    {"exp2", 1, [](RuleContext &C, unsigned, Term By) { return By * (C.result() * ln2); }},
    {"exp10", 1, [](RuleContext &C, unsigned, Term By) { return By * (C.result() * ln10); }},
    {"expm1", 1, [](RuleContext &C, unsigned, Term By) { return By * (C.result() + 1.0); }},
    {"log", 1, [](RuleContext &C, unsigned, Term By) { return By / C.x(); }},
    {"log2", 1, [](RuleContext &C, unsigned, Term By) { return By / (C.x() * ln2); }},
    {"log10", 1, [](RuleContext &C, unsigned, Term By) { return By / (C.x() * ln10); }},
    {"log1p", 1, [](RuleContext &C, unsigned, Term By) { return By / (C.x() + 1.0); }},
    {"sinh", 1, [](RuleContext &C, unsigned, Term By) { return By * C.call("cosh", {C.x()}); }},
    {"cosh", 1, [](RuleContext &C, unsigned, Term By) { return By * C.call("sinh", {C.x()}); }},
    {"tanh", 1, [](RuleContext &C, unsigned, Term By) { return By * (1.0 - square(C.result())); }},
    {"asinh", 1, [](RuleContext &C, unsigned, Term By) { return By * inverseRoot(C, square(C.x()) + 1.0); }},
    // As products: 1 - x * x would cancel near 1.
    {"acosh", 1, [](RuleContext &C, unsigned, Term By) { return By * inverseRoot(C, (C.x() - 1.0) * (C.x() + 1.0)); }},
    {"atanh", 1, [](RuleContext &C, unsigned, Term By) { return By / ((1.0 - C.x()) * (1.0 + C.x())); }},
};

} // namespace

ArrayRef<Rule> kernix::exponentialRules() { return Table; }
