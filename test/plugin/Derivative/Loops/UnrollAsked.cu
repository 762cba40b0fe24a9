// Arrays of a thread that are cleared, and indexed by loops that `#pragma unroll` stands at, are in registers of the
// derivative as they are in the kernel's. Loops that would become large stay loops.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o - | FileCheck %s
#include <kernix/kernix.h>

// CHECK-LABEL: .entry _Z8tile_bwd{{[^(]*}}(
// CHECK-NOT: local
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void tile(const float *a, const float *b, float *c, int n) {
  int row = threadIdx.y * 8, column = threadIdx.x * 8;
  float sum[8][8] = {};
  for (int k = 0; k < n; ++k) {
    float u[8], v[8];
#pragma unroll
    for (int r = 0; r < 8; ++r) {
      u[r] = a[k * 128 + row + r];
      v[r] = b[k * 128 + column + r];
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
#pragma unroll
      for (int s = 0; s < 8; ++s)
        sum[r][s] += u[r] * v[s];
  }
#pragma unroll
  for (int r = 0; r < 8; ++r)
#pragma unroll
    for (int s = 0; s < 8; ++s)
      c[(row + r) * 128 + column + s] = sum[r][s];
}

// No warning that a loop has not been unrolled: nothing is asked any more.
// CHECK-LABEL: .entry _Z9large_bwd{{[^(]*}}(
// CHECK: bra
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void large(const float *a, float *c) {
  float v = a[threadIdx.x];
#pragma unroll
  for (int k = 0; k < 1000; ++k)
    v = v * v + a[k] / (v + 2);
  c[threadIdx.x] = v;
}
