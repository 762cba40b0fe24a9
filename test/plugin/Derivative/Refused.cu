// What has no rule yet is refused at its place, on both targets.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable]]
__global__ void tile(const float *x, float *y, int n) {
  __shared__ float t[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = i < n ? x[i] * x[i] : 0;
  if (threadIdx.x < 128) {
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'tile': the threads of a block may come to this barrier on different ways
    __syncthreads();
    // CHECK: sync_functions.h:{{.*}}note: this is where it happens, in a function that is called there
    t[threadIdx.x] += t[threadIdx.x + 128];
  }
  if (i < n)
    y[i] = t[255 - threadIdx.x] * 2;
}

[[kernix::bind, kernix::differentiable]]
__global__ void lanes(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0;
  if (v > 0)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'lanes': the lanes of a warp may come to this warp function on different ways
    v += __shfl_down_sync(0xffffffff, v, 1);
  if (i < n)
    y[i] = v;
}

__device__ inline float through_shared(float v) {
  __shared__ float s[32];
  // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'through_shared': shared memory holds numbers that have a derivative, which is supported in kernels only
  s[threadIdx.x] = v;
  __syncthreads();
  return s[31 - threadIdx.x];
}

[[kernix::bind]]
__global__ void derivative_of_a_function(float *g) {
  kernix::bwd_diff<through_shared>(1.0f, g + threadIdx.x, 1.0f);
}
