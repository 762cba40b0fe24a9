//===- Forward.h - writing forward derivatives ------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_FORWARD_H
#define KERNIX_DERIVATIVE_FORWARD_H

#include "Derivative/Analysis/Activity.h"

namespace kernix {

/// Writes the body of Request.Body: the prepared primal with the tangent of each active value beside it. On refusal the
/// body is of no use.
void writeForward(const DerivativeRequest &Request, const Prepared &P, Refusals &Refused);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_FORWARD_H
