// runtime/src/cuda/rounding.h - kernels of the runtime's own that round sums in float to gradients of 16 bits.

#ifndef KERNIX_CUDA_ROUNDING_H
#define KERNIX_CUDA_ROUNDING_H

#include "kernix/abi.h"

#include <cstdint>

namespace kernix::cuda {

/// Makes the kernels ready on the device, which is the thread's current one; the first time, no stream may be captured.
/// Quick when they are ready. `function`: on whose behalf, for messages.
int load_rounding(const kernix_function &function, int device);

/// elements[k] += sums[k] for `count` elements of `dtype`, float16 or bfloat16, on the stream; those whose sum is zero
/// are not touched. load_rounding() has been called on this device.
int round(const kernix_function &function, int device, kernix_dtype dtype, void *elements, const float *sums,
          int64_t count, void *stream);

} // namespace kernix::cuda

#endif // KERNIX_CUDA_ROUNDING_H
