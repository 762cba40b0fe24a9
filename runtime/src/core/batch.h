// runtime/src/core/batch.h - a call of a kernel for each element of a batch, in one launch.

#ifndef KERNIX_CORE_BATCH_H
#define KERNIX_CORE_BATCH_H

#include "cuda/batched_kernels.h"
#include "kernix/abi.h"

namespace kernix::core {

struct Batch {
  const cuda::BatchedKernel &kernel;
  int64_t count;
  const int64_t *strides; ///< by parameter, bytes; read when outputs have been allocated
};

/// kernix_call with the arguments of the first element.
int call_batch(const kernix_function &function, const kernix_value *values, const kernix_call_options &options,
               void *storage, const Batch &batch);

} // namespace kernix::core

#endif // KERNIX_CORE_BATCH_H
