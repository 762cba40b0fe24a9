//===- Exponential.cpp - exponentials, logarithms and hyperbolic functions --------------------------------------===//

#include "Derivative/Rules/Formula.h"
#include "Derivative/Rules/Tables.h"
#include <numbers>

using namespace llvm;
using namespace kernix;
using std::numbers::ln10;
using std::numbers::ln2;

namespace {

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
    {"asinh", 1, [](RuleContext &C, unsigned, Term By) { return By * C.call("rsqrt", {square(C.x()) + 1.0}); }},
    // As products: 1 - x * x would cancel near 1.
    {"acosh", 1,
     [](RuleContext &C, unsigned, Term By) { return By * C.call("rsqrt", {(C.x() - 1.0) * (C.x() + 1.0)}); }},
    {"atanh", 1, [](RuleContext &C, unsigned, Term By) { return By / ((1.0 - C.x()) * (1.0 + C.x())); }},
};

} // namespace

ArrayRef<Rule> kernix::exponentialRules() { return Table; }
