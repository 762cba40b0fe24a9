//===- LoopRemarks.h - how each loop is reversed, in words ------------------------------------------------------===//
//
// What -Rkernix says of the plans of loops, and what they cost a thread. Decides nothing.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LOOPS_LOOPREMARKS_H
#define KERNIX_DERIVATIVE_LOOPS_LOOPREMARKS_H

#include "Derivative/Loops/LoopPlan.h"

namespace kernix {

void remarkOnLoops(const Prepared &P, const LoopPlans &Plans, llvm::FunctionAnalysisManager &FAM, Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LOOPS_LOOPREMARKS_H
