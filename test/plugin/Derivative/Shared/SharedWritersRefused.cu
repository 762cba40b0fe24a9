// What is differentiated again exchanges nothing, so that one element which all threads store has first derivatives only.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(2)]]
__global__ void all(const float *x, float *y) {
  __shared__ float mean;
  // CHECK: SharedWritersRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'all': all threads store to one element of shared memory, which has no second derivative; let one thread store it
  mean = x[0] * x[1];
  __syncthreads();
  y[threadIdx.x] = mean * x[threadIdx.x];
}

// CHECK-NOT: error:
[[kernix::bind, kernix::differentiable(2)]]
__global__ void one(const float *x, float *y) {
  __shared__ float mean, parts[2];
  if (threadIdx.x == 0)
    mean = x[0] * x[1];
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = mean * parts[1] * x[threadIdx.x];
}

[[kernix::bind, kernix::differentiable]]
__global__ void once(const float *x, float *y) {
  __shared__ float mean;
  mean = x[0] * x[1];
  __syncthreads();
  y[threadIdx.x] = mean * x[threadIdx.x];
}
