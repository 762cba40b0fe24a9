//===- Piecewise.cpp - minima, absolute values, rounding, remainders, exponents ---------------------------------===//

#include "Derivative/Rules/Formula.h"
#include "Derivative/Rules/Tables.h"

using namespace llvm;
using namespace kernix;

namespace {

/// All for the operand that is chosen, half each at a tie. Both operands ask the same questions and come to one in sum,
/// whatever the answers: where LLVM computes an operand twice, once with fused arithmetic, neither need equal the
/// result.
template <bool IsMaximum> Term chosen(RuleContext &C, bool OfFirst, Term By, Term Otherwise) {
  Condition IsFirst = IsMaximum ? isLess(C.y(), C.x()) : isLess(C.x(), C.y());
  return select(IsFirst, OfFirst ? By : 0.0, select(isEqual(C.x(), C.y()), By * 0.5, Otherwise));
}

/// Where one operand is a NaN, the number has been chosen and has it all.
template <bool IsMaximum> Term chosenNumber(RuleContext &C, unsigned Operand, Term By) {
  const bool OfFirst = Operand == 0;
  return chosen<IsMaximum>(C, OfFirst, By, select(isNan(C.y()), OfFirst ? By : 0.0, OfFirst ? 0.0 : By));
}

/// The same for the functions whose result is a NaN if an operand is one: like torch.maximum, both have it all then.
template <bool IsMaximum> Term chosenOrNan(RuleContext &C, unsigned Operand, Term By) {
  const bool OfFirst = Operand == 0;
  return chosen<IsMaximum>(C, OfFirst, By, OfFirst ? select(either(isNan(C.x()), isNan(C.y())), By, 0.0) : By);
}

/// The multiple of y that was taken away from x, found without a second rounding.
Term remainder(RuleContext &C, unsigned Operand, Term By) {
  if (Operand == 0)
    return By;
  return By * -C.intrinsic(Intrinsic::rint, {(C.x() - C.result()) / C.y()});
}

Term ldexp(RuleContext &C, unsigned, Term By) { return C.callWithInteger("ldexp", By, C.integer(1), 1); }

/// By / 2^exponent
Term mantissa(RuleContext &C, unsigned, Term By) {
  return C.callWithInteger("ldexp", By, C.negated(C.callForInteger("frexp_exponent", C.x())), 1);
}

Term identityInFirst(RuleContext &, unsigned Operand, Term By) { return Operand == 0 ? By : Term(); }

const Rule Table[] = {
    {"llvm.minnum", 2, chosenNumber<false>},
    {"llvm.maxnum", 2, chosenNumber<true>},
    {"llvm.minimumnum", 2, chosenNumber<false>},
    {"llvm.maximumnum", 2, chosenNumber<true>},
    {"llvm.minimum", 2, chosenOrNan<false>},
    {"llvm.maximum", 2, chosenOrNan<true>},
    // 0 at 0, as in PyTorch, and at a NaN. A factor: of an infinite gradient it makes a NaN, as sqrt before it does.
    {"llvm.fabs", 1,
     [](RuleContext &C, unsigned, Term By) {
       return By * select(isLess(0.0, C.x()), 1.0, select(isLess(C.x(), 0.0), -1.0, 0.0));
     }},
    {"llvm.copysign", 2,
     [](RuleContext &C, unsigned Operand, Term By) {
       if (Operand == 1)
         return Term();
       Term Signs = C.intrinsic(Intrinsic::copysign, {1.0, C.x()}) * C.intrinsic(Intrinsic::copysign, {1.0, C.y()});
       return By * select(isEqual(C.x(), 0.0), 0.0, Signs);
     }},
    {"fdim", 2,
     [](RuleContext &C, unsigned Operand, Term By) {
       return select(isLess(C.y(), C.x()), Operand == 0 ? By : -By, 0.0);
     }},
    // 0 at both ends, as torch.clamp has it.
    {"saturate", 1,
     [](RuleContext &C, unsigned, Term By) { return select(both(isLess(0.0, C.x()), isLess(C.x(), 1.0)), By, 0.0); }},

    {"fmod", 2, remainder},
    {"remainder", 2, remainder},
    {"nextafter", 2, identityInFirst},
    {"llvm.arithmetic.fence", 1, identityInFirst},
    {"ldexp", 2, ldexp},
    // As the fractional part x - trunc(x), in PyTorch: 1 at the integers too.
    {"modf_fraction", 1, identityInFirst},
    {"frexp_mantissa", 1, mantissa},
    {"frexp_exponent", 1, nullptr},
    {"remquo_quotient", 2, nullptr},

    {"llvm.floor", 1, nullptr},
    {"llvm.ceil", 1, nullptr},
    {"llvm.trunc", 1, nullptr},
    {"llvm.rint", 1, nullptr},
    {"llvm.nearbyint", 1, nullptr},
    {"llvm.round", 1, nullptr},
    {"llvm.roundeven", 1, nullptr},
    {"llvm.lrint", 1, nullptr},
    {"llvm.llrint", 1, nullptr},
    {"llvm.lround", 1, nullptr},
    {"llvm.llround", 1, nullptr},
    {"llvm.fptosi.sat", 1, nullptr},
    {"llvm.fptoui.sat", 1, nullptr},
    {"llvm.is.fpclass", 2, nullptr},
    {"llrint", 1, nullptr},
    {"llround", 1, nullptr},
    {"ilogb", 1, nullptr},
    {"logb", 1, nullptr},
};

} // namespace

ArrayRef<Rule> kernix::piecewiseRules() { return Table; }
