// kernix/kernix.h - what users include beside their annotations. Light: no standard header, no CUDA header.
//
// Brings kernix::Tensor, kernix::TensorView<T>, kernix::DiffTensorViewAA<T>, kernix::Stream, kernix::global_index(),
// and the glue of bound functions. Compiles without the plugin too; the attributes then do nothing, which is said once
// (KERNIX_NO_PLUGIN silences it).

#ifndef KERNIX_KERNIX_H
#define KERNIX_KERNIX_H

#if defined(__clang__) && !defined(KERNIX_NO_PLUGIN) && !__has_cpp_attribute(kernix::bind)
#pragma GCC warning                                                                                                    \
    "kernix: compiled without -fplugin=kernix.so, so [[kernix::...]] attributes have no effect (define KERNIX_NO_PLUGIN to silence this)"
#endif

#include "kernix/hide_macros.h"

#include "kernix/abi.h"
#include "kernix/derivative.h"
#include "kernix/diff_tensor_view.h"
#include "kernix/dtype.h"
#include "kernix/stream.h"
#include "kernix/tensor.h"
#include "kernix/tensor_view.h"
#include "kernix/xla.h"

#if defined(__CUDACC__) || defined(__CUDA__)
namespace kernix {

/// Place of the thread in the grid, along x, y and z.
__device__ inline uint3 global_index() {
  uint3 index;
  index.x = blockIdx.x * blockDim.x + threadIdx.x;
  index.y = blockIdx.y * blockDim.y + threadIdx.y;
  index.z = blockIdx.z * blockDim.z + threadIdx.z;
  return index;
}

} // namespace kernix
#endif

#if __has_cpp_attribute(kernix::bind)
#include "kernix/module.h"
#if defined(__KERNIX_NUMBA__)
#include "kernix/numba_shim.h"
#endif
#endif

#include "kernix/restore_macros.h"

#endif // KERNIX_KERNIX_H
