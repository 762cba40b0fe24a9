//===- RuleJson.h - what the LLVM half has to know of a derivative that is written by hand ---------------*- C++
//-*-===//
//
// The text of the annotation kernix.rule (HandOver.h): for each parameter of f and for its result, the numbers and
// pointers in it and what the rule is given for them.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_RULEJSON_H
#define KERNIX_SYNTHESIS_RULEJSON_H

#include "Synthesis/DerivativeSignature.h"

namespace kernix {

/// What a derivative has beside a parameter of f.
enum class RuleSlot {
  None,
  Value,   ///< tangent by value, gradient through a pointer
  Memory,  ///< f's parameter is a reference that it may change
  Pointer, ///< a pointer to the shadow
  View     ///< a view of the shadow
};
RuleSlot ruleSlot(const Parameter &P, bool HasSlot);

std::string ruleJson(clang::Sema &S, const BoundFunction &F, const clang::FunctionDecl &Rule, kernix_derivative Mode,
                     llvm::ArrayRef<DerivativeParameter> Parameters);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_RULEJSON_H
