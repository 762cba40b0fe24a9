//===- RuleThunks.h - handing a derivative that is written by hand to the LLVM half ----------------------*- C++
//-*-===//
//
// Makes the helpers by which calls of a function with a rule are found and its rule is called, whatever their calling
// conventions are (HandOver.h, Derivative/CustomRules/CustomRules.h).
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_SYNTHESIS_RULETHUNKS_H
#define KERNIX_SYNTHESIS_RULETHUNKS_H

#include "Synthesis/AstBuilder.h"
#include "Synthesis/DerivativeSignature.h"

namespace kernix {

/// False after an error. `Parameters` are those of a rule that takes f's object, if it has one, as its first; a member
/// rule is called on it instead.
bool handOverRule(AstBuilder &B, const BoundFunction &F, clang::FunctionDecl *Rule, kernix_derivative Mode,
                  llvm::ArrayRef<DerivativeParameter> Parameters);

} // namespace kernix

#endif // KERNIX_SYNTHESIS_RULETHUNKS_H
