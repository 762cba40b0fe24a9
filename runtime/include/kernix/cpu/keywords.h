// kernix/cpu/keywords.h - CUDA's keywords and predefined macros for the CPU target. No declaration.
//
// __noinline__ and __restrict__ are clang's own keywords and are left alone: libstdc++ spells attributes with them.
#ifndef KERNIX_CPU_KEYWORDS_H
#define KERNIX_CPU_KEYWORDS_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// Host and device pass would each have a variable of their own: a use is refused.
#define __managed__                                                                                                    \
  __attribute__((device)) __attribute__((unavailable("kernix: __managed__ variables have no CPU target")))

#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(n)
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __grid_constant__ __attribute__((grid_constant))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_surface_type__
#define __device_builtin_texture_type__
#define __specialization_static static
#define __nv_pure__ __attribute__((pure))

// kernix's own: what CUDA has on both sides, what it has on the device.
#define KERNIX_CPU_BOTH __host__ __device__ inline
#define KERNIX_CPU_ONLY_DEVICE __device__ __forceinline__

// The architecture that sources may ask for in #if: independent thread scheduling, half and double atomics, and nothing
// that the CPU target refuses (tensor-core bfloat16, clusters, asynchronous copies come with 800 and later).
// clang itself defines __CUDA_ARCH__ in the device pass (as 1 on x86) and only there.
#ifdef __CUDA_ARCH__
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 750
#endif
#undef __CUDA_ARCH_LIST__
#define __CUDA_ARCH_LIST__ 750

#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif
#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif

#endif
