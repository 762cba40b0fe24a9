// runtime/src/cuda/batched_kernels.h - kernels with an axis for a batch, which lie beside a module
// (kernix_add_batched).

#ifndef KERNIX_CUDA_BATCHED_KERNELS_H
#define KERNIX_CUDA_BATCHED_KERNELS_H

#include "core/launch.h"
#include "kernix/abi.h"

namespace kernix::cuda {

struct BatchedKernel; // CUkernel

/// Null: there is none, and the kernel is launched for each element.
const BatchedKernel *find_batched(const kernix_module_info &module, const kernix_function &function);

/// One launch, or as many as CUDA's limit of grid.z makes it, for `count` elements. `sizes` and `args` are those of the
/// first; `strides`, by parameter, are bytes from one element to the next.
int launch_batched(const BatchedKernel &kernel, const kernix_function &function, const core::LaunchSizes &sizes,
                   void **args, int64_t count, const int64_t *strides, void *stream);

} // namespace kernix::cuda

#endif // KERNIX_CUDA_BATCHED_KERNELS_H
