// The few words of CUDA that tests of the plugin need, so that they run without a toolkit.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

using size_t = decltype(sizeof 0);
struct dim3 {
  unsigned x, y, z;
  constexpr __host__ __device__ dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1) : x(X), y(Y), z(Z) {}
};
typedef struct CUstream_st *cudaStream_t;
extern "C" int cudaConfigureCall(dim3 Grid, dim3 Block, size_t Bytes = 0, cudaStream_t Stream = nullptr);
extern "C" unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Bytes = 0, cudaStream_t Stream = nullptr);
extern "C" int cudaLaunchKernel(const void *Function, dim3 Grid, dim3 Block, void **Arguments, size_t Bytes,
                                cudaStream_t Stream);
