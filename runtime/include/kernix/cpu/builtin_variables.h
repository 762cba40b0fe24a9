// kernix/cpu/builtin_variables.h - threadIdx, blockIdx, blockDim, gridDim, warpSize.
//
// Each is an object without storage whose members are read through the runtime, so that the value is that of the
// running CUDA thread whatever host thread runs it. They convert to uint3 and dim3 and cannot be assigned.
#ifndef KERNIX_CPU_BUILTIN_VARIABLES_H
#define KERNIX_CPU_BUILTIN_VARIABLES_H

#include "device_runtime.h"
#include "vector_types.h"

#define KERNIX_CPU_GETTER(member, call)                                                                                \
  __declspec(property(get = get_##member)) unsigned int member;                                                        \
  static __forceinline__ __device__ unsigned int get_##member() { return call(); }

#define KERNIX_CPU_BUILTIN_VARIABLE(variable, prefix)                                                                  \
  struct kernix_cpu_##variable {                                                                                       \
    KERNIX_CPU_GETTER(x, prefix##_x)                                                                                   \
    KERNIX_CPU_GETTER(y, prefix##_y)                                                                                   \
    KERNIX_CPU_GETTER(z, prefix##_z)                                                                                   \
    __forceinline__ __device__ operator uint3() const { return uint3{get_x(), get_y(), get_z()}; }                     \
    __forceinline__ __device__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); }                       \
    kernix_cpu_##variable &operator=(const kernix_cpu_##variable &) = delete;                                          \
  };                                                                                                                   \
  inline constexpr kernix_cpu_##variable variable{};

KERNIX_CPU_BUILTIN_VARIABLE(threadIdx, kernix_cpu_thread_idx)
KERNIX_CPU_BUILTIN_VARIABLE(blockIdx, kernix_cpu_block_idx)
KERNIX_CPU_BUILTIN_VARIABLE(blockDim, kernix_cpu_block_dim)
KERNIX_CPU_BUILTIN_VARIABLE(gridDim, kernix_cpu_grid_dim)
#undef KERNIX_CPU_BUILTIN_VARIABLE
#undef KERNIX_CPU_GETTER

inline constexpr int warpSize = 32;

#endif
