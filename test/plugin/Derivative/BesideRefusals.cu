// A kernel without a derivative has one error, and what is beside it none: warps and blocks are compiled as ever.
// REQUIRES: cpu
// RUN: not %cpu-device -O1 -c %s -o /dev/null 2>&1 | FileCheck --implicit-check-not=error: %s
// RUN: not %cpu-device -O0 -c %s -o /dev/null 2>&1 | FileCheck --implicit-check-not=error: %s
#include <kernix/kernix.h>

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: error: cannot differentiate 'refused'
[[kernix::bind, kernix::differentiable]] __global__ void refused(const float *x, float *y) {
  y[threadIdx.x / 32] = x[0];
}

[[kernix::bind, kernix::differentiable]] __global__ void exchanged(const float *x, const int *lanes, float *y) {
  __shared__ float s[256];
  s[threadIdx.x] = __shfl_sync(0xffffffffu, x[threadIdx.x], lanes[threadIdx.x]);
  __syncthreads();
  if (__any_sync(0xffffffffu, lanes[threadIdx.x] > 3))
    y[threadIdx.x] = s[255 - threadIdx.x];
}

// CHECK: 1 error generated
