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
struct uint3 {
  unsigned x, y, z;
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;

enum cudaError { cudaSuccess };
typedef cudaError cudaError_t;
enum cudaDeviceAttr { cudaDevAttrMaxThreadsPerBlock = 1 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
struct cudaFuncAttributes;
typedef struct CUstream_st *cudaStream_t;
extern "C" {
cudaError_t cudaConfigureCall(dim3 Grid, dim3 Block, size_t Bytes = 0, cudaStream_t Stream = nullptr);
unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Bytes = 0, cudaStream_t Stream = nullptr);
cudaError_t cudaLaunchKernel(const void *Function, dim3 Grid, dim3 Block, void **Arguments, size_t Bytes,
                             cudaStream_t Stream);
cudaError_t cudaGetDevice(int *Device);
cudaError_t cudaSetDevice(int Device);
cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr Attribute, int Device);
cudaError_t cudaFuncSetAttribute(const void *Function, cudaFuncAttribute Attribute, int Value);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *Attributes, const void *Function);
cudaError_t cudaGetLastError();
cudaError_t cudaStreamSynchronize(cudaStream_t Stream);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, const void *Function, int Threads, size_t Bytes);
const char *cudaGetErrorString(cudaError_t Error);
enum cudaMemcpyKind { cudaMemcpyDeviceToHost = 2 };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone };
cudaError_t cudaMemcpyFromSymbol(void *To, const void *Symbol, size_t Bytes, size_t Offset = 0,
                                 cudaMemcpyKind Kind = cudaMemcpyDeviceToHost);
cudaError_t cudaStreamIsCapturing(cudaStream_t Stream, cudaStreamCaptureStatus *Status);
cudaError_t cudaMallocAsync(void **Memory, size_t Bytes, cudaStream_t Stream);
cudaError_t cudaFreeAsync(void *Memory, cudaStream_t Stream);
cudaError_t cudaMemsetAsync(void *Memory, int Value, size_t Bytes, cudaStream_t Stream);
}
