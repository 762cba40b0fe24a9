//===- RegisterLimit.h - as many registers as the source's blocks have room for ---------------------------------===//
//
// A derivative needs more registers than its kernel, and a block of 1024 threads whose threads have more than 64 cannot
// be launched at all. Where the source says how large the blocks are, the compiler is told how many registers a thread
// may have. It may also say so itself: [[kernix::max_registers(N)]].
//
//===------------------------------------------------------------------------------------------------------------===//

#ifndef KERNIX_DERIVATIVE_LAUNCH_REGISTERLIMIT_H
#define KERNIX_DERIVATIVE_LAUNCH_REGISTERLIMIT_H

#include "Derivative/Requests.h"

namespace kernix {

/// Of the kernels that call Request's derivative, but for those with __launch_bounds__ unless the source says a number.
void limitRegisters(const DerivativeRequest &Request);

} // namespace kernix

#endif // KERNIX_DERIVATIVE_LAUNCH_REGISTERLIMIT_H
