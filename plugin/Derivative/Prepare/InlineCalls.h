//===- InlineCalls.h - raising and inlining everything a function calls -----------------------------------------===//

#ifndef KERNIX_DERIVATIVE_PREPARE_INLINECALLS_H
#define KERNIX_DERIVATIVE_PREPARE_INLINECALLS_H

#include "Derivative/Refusal.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/PassManager.h"

namespace kernix {

/// Recursion that may end at compile time: simplifying after each round of inlining shows whether a call of the next
/// level is left.
struct Recursion {
  llvm::SmallPtrSet<const llvm::Function *, 2> Functions; ///< whose calls by themselves were left for the next round
  unsigned Inlined = 0;                                   ///< how many of these calls have been inlined since
};

/// Raises (Raise.h) or inlines the calls of F until none is left that has a body, noinline or not. A recursive call is
/// left in F if there is a next round to come (Levels), else it is an error. Calls without a body stay: whether they
/// matter is decided later. True if something was inlined. CopyOf: F is a copy of which all that comes out is constant
/// (Constants.h); what calls it again and is marked stays, too.
bool inlineCalls(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, Refusals &Refused, Recursion *Levels = nullptr,
                 const llvm::Function *CopyOf = nullptr);

/// Removes what only describes: lifetimes, assumptions, annotations, alias scopes, and metadata that the copies and
/// adjoints of an instruction must not inherit.
void stripDescriptions(llvm::Function &F);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_PREPARE_INLINECALLS_H
