//===- InlineCalls.h - raising and inlining everything a function calls -----------------------------------------===//

#ifndef KERNIX_DERIVATIVE_INLINECALLS_H
#define KERNIX_DERIVATIVE_INLINECALLS_H

#include "Derivative/Refusal.h"
#include "llvm/IR/PassManager.h"

namespace kernix {

/// Raises (Raise.h) or inlines the calls of F until none is left that has a body, noinline or not. A recursive call is
/// an error. Calls without a body stay: whether they matter is decided later. True if something was inlined.
bool inlineCalls(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, Refusals &Refused);

/// Removes what only describes: lifetimes, assumptions, annotations, alias scopes, and metadata that the copies and
/// adjoints of an instruction must not inherit.
void stripDescriptions(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_INLINECALLS_H
