//===- Rounded.cpp - multiply-add, interpolation, and arithmetic with a rounding in its name ---------------------===//
//
// The rounding belongs to the result, not to its derivative, which is rounded to nearest.
//
//===------------------------------------------------------------------------------------------------------------===//

#include "Derivative/Rules/Formula.h"
#include "Derivative/Rules/Tables.h"

using namespace llvm;
using namespace kernix;

namespace {

Term multiplyAdd(RuleContext &C, unsigned Operand, Term By) { return Operand == 2 ? By : By * C.operand(1 - Operand); }

/// Of a + t (b - a): the standard library returns a or b by comparisons that hold at single numbers.
Term lerp(RuleContext &C, unsigned Operand, Term By) {
  return By * (Operand == 0 ? 1.0 - C.z() : Operand == 1 ? C.z() : C.y() - C.x());
}

Term sum(RuleContext &, unsigned, Term By) { return By; }
Term difference(RuleContext &, unsigned Operand, Term By) { return Operand == 0 ? By : -By; }
Term product(RuleContext &C, unsigned Operand, Term By) { return By * C.operand(1 - Operand); }
Term quotient(RuleContext &C, unsigned Operand, Term By) {
  return Operand == 0 ? By / C.y() : By * -(C.result() / C.y());
}
Term reciprocal(RuleContext &C, unsigned, Term By) { return By * -square(C.result()); }
Term root(RuleContext &C, unsigned, Term By) { return By / (C.result() * 2.0); }
Term reciprocalRoot(RuleContext &C, unsigned, Term By) { return By * (C.result() * C.result() * C.result() * -0.5); }
/// Between two types: By is converted by whoever applies the rule.
Term conversion(RuleContext &, unsigned, Term By) { return By; }

const Rule Table[] = {
    {"llvm.fma", 3, multiplyAdd},
    {"llvm.fmuladd", 3, multiplyAdd},
    {"lerp", 3, lerp},
    {"add_rd", 2, sum},
    {"add_ru", 2, sum},
    {"add_rz", 2, sum},
    {"div_rd", 2, quotient},
    {"div_ru", 2, quotient},
    {"div_rz", 2, quotient},
    {"double2float_rd", 1, conversion},
    {"double2float_ru", 1, conversion},
    {"double2float_rz", 1, conversion},
    {"fdivide", 2, quotient},
    {"fma_rd", 3, multiplyAdd},
    {"fma_ru", 3, multiplyAdd},
    {"fma_rz", 3, multiplyAdd},
    {"mul_rd", 2, product},
    {"mul_ru", 2, product},
    {"mul_rz", 2, product},
    {"rcp_rd", 1, reciprocal},
    {"rcp_ru", 1, reciprocal},
    {"rcp_rz", 1, reciprocal},
    {"rsqrt_rn", 1, reciprocalRoot},
    {"sqrt_rd", 1, root},
    {"sqrt_rn", 1, root},
    {"sqrt_ru", 1, root},
    {"sqrt_rz", 1, root},
    {"sub_rd", 2, difference},
    {"sub_ru", 2, difference},
    {"sub_rz", 2, difference},
};

} // namespace

ArrayRef<Rule> kernix::roundedRules() { return Table; }
