// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <string>

__global__ void nothing() {}
__global__ void asserts(int *x, int at) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == at)
    kernix_cpu_assert_fail("i != at", "file.cu", 12, "asserts");
  x[i] = i;
}
__global__ void asserts_in_fiber(int *x, int at) {
  kernix_cpu_barrier();
  if (threadIdx.x == at)
    kernix_cpu_assert_fail("i != at", "file.cu", 12, "asserts");
  kernix_cpu_barrier();
  x[threadIdx.x] = 1;
}
__global__ void traps() { kernix_cpu_trap(); }
__global__ void dynamic_shared(int *out) {
  extern __shared__ int x[];
  x[threadIdx.x] = threadIdx.x;
  out[0] = x[threadIdx.x];
}
__global__ void fixed_shared(int *out) {
  __shared__ int x[10000];
  x[threadIdx.x] = threadIdx.x;
  out[0] = x[threadIdx.x];
}

int main() {
  int x[256] = {};
  nothing<<<0, 1>>>();
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  nothing<<<1, 1025>>>();
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  nothing<<<1, dim3(32, 33)>>>();
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  nothing<<<dim3(1, 65536), 1>>>();
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  nothing<<<1, dim3(1, 1, 65)>>>();
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK_CUDA(cudaGetLastError());
  nothing<<<dim3(2, 65535), dim3(1, 1, 64)>>>();
  CHECK_CUDA(cudaGetLastError());
  CHECK(cudaLaunchKernel(x, 1, 1, nullptr) == cudaErrorInvalidDeviceFunction);
  CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);

  asserts<<<2, 64>>>(x, 70);
  CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorAssert);
  std::string text = cudaGetErrorString(cudaErrorAssert);
  CHECK(text == "device-side assert triggered: kernel asserts(int*, int): file.cu:12: asserts: assertion `i != at' "
                "failed (block (1,0,0), thread (6,0,0))");
  CHECK(std::string(cudaGetErrorName(cudaErrorAssert)) == "cudaErrorAssert");
  asserts_in_fiber<<<3, 64>>>(x, 33);
  CHECK(cudaGetLastError() == cudaErrorAssert && cudaDeviceSynchronize() == cudaSuccess);
  text = cudaGetErrorString(cudaErrorAssert);
  CHECK(text.find("thread (33,0,0)") != text.npos);
  traps<<<1, 1>>>();
  CHECK(cudaStreamSynchronize(nullptr) == cudaErrorLaunchFailure);
  asserts_in_fiber<<<1, 64>>>(x, 100);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && x[63] == 1);
  cudaGetLastError();

  dynamic_shared<<<1, 32, 48 * 1024>>>(x);
  CHECK_CUDA(cudaGetLastError());
  dynamic_shared<<<1, 32, 48 * 1024 + 1>>>(x);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK_CUDA(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  dynamic_shared<<<1, 32, 227 * 1024>>>(x);
  CHECK_CUDA(cudaGetLastError());
  CHECK(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024) ==
        cudaErrorInvalidValue);
  fixed_shared<<<1, 32, 9152>>>(x);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  int blocks = 0, size = 0;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fixed_shared, 256, 0));
  CHECK(blocks == 5);
  CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, nothing));
  CHECK(size == 1024 && blocks == 2 * 4);
}
