// runtime/src/core/function_attributes.h - cudaFuncAttributes, without CUDA's headers.

#ifndef KERNIX_CORE_FUNCTION_ATTRIBUTES_H
#define KERNIX_CORE_FUNCTION_ATTRIBUTES_H

#include <cstddef>

namespace kernix::core {

/// The layout of CUDA 12 and 13, with room for what later ones append. On the CPU target `cache_mode_ca` is 1 for
/// kernels whose threads run as fibers.
struct FunctionAttributes {
  size_t shared_size_bytes;
  size_t const_size_bytes;
  size_t local_size_bytes;
  int max_threads_per_block;
  int num_regs;
  int ptx_version;
  int binary_version;
  int cache_mode_ca;
  int rest[59];
};
static_assert(offsetof(FunctionAttributes, cache_mode_ca) == 40);

} // namespace kernix::core

#endif // KERNIX_CORE_FUNCTION_ATTRIBUTES_H
