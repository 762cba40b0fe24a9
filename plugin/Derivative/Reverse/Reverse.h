//===- Reverse.h - writing backward functions -------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_REVERSE_REVERSE_H
#define KERNIX_DERIVATIVE_REVERSE_REVERSE_H

#include "Derivative/Accumulation/FixedOrder.h"
#include "Derivative/Launch/UsualLaunch.h"
#include "Derivative/Loops/LoopPlan.h"

namespace kernix {

/// What the launch of a backward kernel has to know.
struct ReverseFacts {
  unsigned ProofIds = 0;       ///< thread and block ids that addresses of plain additions are told apart by
  unsigned PlainGradients = 0; ///< parameters whose gradient's pointer may carry the mark of an overlap
  unsigned InFloat = 0;        ///< parameters whose gradient may be given as FloatGradients.h says
  unsigned InScratch = 0;      ///< likewise, ScratchGradients.h
  OrderOfSums Order;
};

/// Writes the body of Request.Body from the prepared primal, which is changed on the way. On refusal the body is left
/// as it was. Usual: what the body asks of its launch.
ReverseFacts writeReverse(const DerivativeRequest &Request, const Prepared &P, llvm::FunctionAnalysisManager &FAM,
                          Refusals &Refused, UsualLaunch &Usual);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_REVERSE_REVERSE_H
