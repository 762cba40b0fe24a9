//===- Trigonometric.cpp - trigonometric functions and their inverses -------------------------------------------===//

#include "Derivative/Rules/Formula.h"
#include "Derivative/Rules/Tables.h"
#include <numbers>

using namespace llvm;
using namespace kernix;
using std::numbers::pi;

namespace {

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
    {"atan2", 2,
     [](RuleContext &C, unsigned Operand, Term By) {
       Term Length = square(C.x()) + square(C.y());
       // 0 at the origin, as in PyTorch.
       return By * select(isEqual(Length, 0.0), 0.0, (Operand == 0 ? C.y() : -C.x()) / Length);
     }},
};

} // namespace

ArrayRef<Rule> kernix::trigonometricRules() { return Table; }
