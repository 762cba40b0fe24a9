// The barriers of the source and those of the derivative meet where nothing is between them: one is enough.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o - | FileCheck %s
#include <kernix/kernix.h>

// CHECK-LABEL: .entry _Z9twice_bwd{{[^(]*}}(
// CHECK-NOT: {{bar.sync 0;[[:space:]]*bar.sync}}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void twice(const float *x, float *y) {
  __shared__ float a[64];
  int t = threadIdx.x;
  a[t] = x[t];
  __syncthreads();
  __syncthreads();
  y[t] = a[t] * a[63 - t];
}
