//===- Rounded.cpp - multiply-add, and arithmetic with a rounding in its name -----------------------------------===//
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

const Rule Table[] = {
    {"llvm.fma", 3, multiplyAdd},
    {"llvm.fmuladd", 3, multiplyAdd},
};

} // namespace

ArrayRef<Rule> kernix::roundedRules() { return Table; }
