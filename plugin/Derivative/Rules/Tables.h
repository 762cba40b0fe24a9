//===- Tables.h - the tables of rules, one per family -----------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_RULES_TABLES_H
#define KERNIX_DERIVATIVE_RULES_TABLES_H

#include "Derivative/Rules/Rule.h"

namespace kernix {

llvm::ArrayRef<Rule> exponentialRules();   ///< exp, log, sinh, tanh and their like
llvm::ArrayRef<Rule> trigonometricRules(); ///< sin, atan2 and their like
llvm::ArrayRef<Rule> powerRules();         ///< sqrt, pow, hypot and their like
llvm::ArrayRef<Rule> specialRules();       ///< error, gamma and Bessel functions
llvm::ArrayRef<Rule> piecewiseRules();     ///< minima, rounding, remainders, exponents
llvm::ArrayRef<Rule> complexRules();       ///< parts of functions of complex numbers
llvm::ArrayRef<Rule> roundedRules();       ///< arithmetic and conversions with a rounding in their name

/// All of them, one after the other.
llvm::ArrayRef<llvm::ArrayRef<Rule>> ruleTables();

} // namespace kernix

#endif // KERNIX_DERIVATIVE_RULES_TABLES_H
