// Lanes that wait for each other in a reversed loop are the same ones in each iteration.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

template <bool IsChanged> __device__ float exchanged(float x, int n, unsigned lanes) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x;
  __syncwarp();
  float v = 0;
  for (int k = 0; k < n; ++k) {
    v += s[t ^ 1];
    // CHECK: :[[#@LINE+1]]:5: error: cannot differentiate 'negative': the mask of __syncwarp changes in a loop that is reversed
    __syncwarp(lanes);
    s[t] = v * v;
    __syncwarp(lanes);
    if (IsChanged && k > 3)
      lanes = 0xffff;
  }
  return v;
}

[[kernix::bind, kernix::differentiable(backward)]] __global__ void negative(const float *x, float *y, int n) {
  y[threadIdx.x] = exchanged<true>(x[threadIdx.x], n, ~0u);
}

[[kernix::bind, kernix::differentiable(backward)]] __global__ void positive(const float *x, float *y, int n) {
  y[threadIdx.x] = exchanged<false>(x[threadIdx.x], n, ~0u);
}
