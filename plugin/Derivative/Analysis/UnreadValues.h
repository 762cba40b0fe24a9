//===- UnreadValues.h - which tensors a backward kernel does not read ------------------------------------------===//
//
// A caller that keeps the arguments of f for its backward pass need not keep these. What counts is the finished body:
// a tensor whose pointer is only compared, or not used at all, is not read.
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_ANALYSIS_UNREADVALUES_H
#define KERNIX_DERIVATIVE_ANALYSIS_UNREADVALUES_H

#include "Derivative/Requests.h"

namespace kernix {

/// Writes kernix_launch_facts::unread_values of a request whose body has been filled.
void writeUnreadValues(const DerivativeRequest &Request);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_ANALYSIS_UNREADVALUES_H
