//===- Reverse.h - writing backward functions -------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_REVERSE_H
#define KERNIX_DERIVATIVE_REVERSE_H

#include "Derivative/LoopPlan.h"

namespace kernix {

/// Writes the body of Request.Body from the prepared primal, which is changed on the way. On refusal the body is left
/// as it was.
void writeReverse(const DerivativeRequest &Request, const Prepared &P, llvm::FunctionAnalysisManager &FAM,
                  Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_REVERSE_H
