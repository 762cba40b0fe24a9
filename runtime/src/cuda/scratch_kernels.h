// runtime/src/cuda/scratch_kernels.h - kernels of the runtime's own that add to gradients what f_bwd has kept in
// scratch memory: see core/scratch_gradients.h.

#ifndef KERNIX_CUDA_SCRATCH_KERNELS_H
#define KERNIX_CUDA_SCRATCH_KERNELS_H

#include "core/copies.h"
#include "kernix/abi.h"

#include <cstdint>

namespace kernix::cuda {

/// Makes the kernels ready on the device, which is the thread's current one; the first time, no stream may be captured.
/// Quick when they are ready. `function`: on whose behalf, for messages.
int load_scratch_kernels(const kernix_function &function, int device);

// On the stream; load_scratch_kernels() has been called on this device.

/// Adds the sum of its copies to each element, of float16, bfloat16, float32 or float64. Elements whose sum is zero are
/// not touched, the others rounded once.
int add_copies(const kernix_function &function, int device, const core::Copies &copies, void *stream);

/// What each of `count` notes says, on elements of `dtype`, float32 or float64.
int add_notes(const kernix_function &function, int device, kernix_dtype dtype, const kernix_note *notes, int64_t count,
              void *stream);

/// *place = pointer
int store_pointer(const kernix_function &function, int device, void *place, void *pointer, void *stream);

} // namespace kernix::cuda

#endif // KERNIX_CUDA_SCRATCH_KERNELS_H
