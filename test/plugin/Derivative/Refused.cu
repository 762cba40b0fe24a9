// What has no rule yet is refused at its place, on both targets.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable]]
__global__ void tile(const float *x, float *y, int n) {
  __shared__ float t[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'tile': shared memory holds numbers that have a derivative
  t[threadIdx.x] = i < n ? x[i] * x[i] : 0;
  __syncthreads();
  if (i < n)
    y[i] = t[255 - threadIdx.x] * 2;
}

[[kernix::bind, kernix::differentiable]]
__global__ void lanes(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0;
  // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'lanes': there is no rule for 'shfl.down.f32' yet
  v += __shfl_down_sync(0xffffffff, v, 1);
  if (i < n)
    y[i] = v;
}
