// A bound under which a thread would keep more than it has.
// RUN: not %toolkit-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cuda
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable(backward)]] __global__ void

KERNEL negative(const float *x, float *y, int n) {
  float s = x[threadIdx.x];
  // CHECK: :[[#@LINE+1]]:37: error: cannot differentiate 'negative': this loop keeps 4 bytes for each of at most 2147483647 iterations, and a thread has at most 524288 bytes; give it a smaller bound, or let {{\[\[}}kernix::recompute]] keep checkpoints
  [[kernix::max_iters(2147483647)]] for (int k = 0; k < n; ++k)
    s = s * s + x[k];
  y[threadIdx.x] = s;
}

KERNEL positive(const float *x, float *y, int n) {
  float s = x[threadIdx.x];
  [[kernix::max_iters(1000)]] for (int k = 0; k < n; ++k)
    s = s * s + x[k];
  y[threadIdx.x] = s;
}

// Nothing is kept.
KERNEL positive_sum(const float *x, float *y, int n) {
  float s = 0;
  [[kernix::max_iters(2147483647)]] for (int k = 0; k < n; ++k)
    s += x[k];
  y[threadIdx.x] = s;
}
