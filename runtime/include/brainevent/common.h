// brainevent/common.h - what kernels that are written for brainevent include. The interface is brainevent's; the types
// are kernix's own, and no header of XLA or Python is behind them.
//
// CUDA's runtime header is not included here: a source includes <cuda_runtime.h> itself.

#ifndef BRAINEVENT_COMMON_H
#define BRAINEVENT_COMMON_H

#include "brainevent/check.h"
#include "brainevent/dispatch.h"
#include "brainevent/tensor.h"

#endif // BRAINEVENT_COMMON_H
