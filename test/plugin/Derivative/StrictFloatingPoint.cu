// Operations that keep to rounding modes or exceptions have no derivative: the error names the options.
// RUN: not %cpu-device -O1 -ftrapping-math -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-device -O1 -frounding-math -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-device -O1 -ffp-model=strict -Wno-overriding-option -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-device -O1 -DPRAGMA -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %cpu-device -O1 -c %s -o /dev/null 2>&1 | count 0
// REQUIRES: cpu
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable]] __global__ void active(const float *x, float *y, int n) {
#ifdef PRAGMA
#pragma clang fp exceptions(strict)
#endif
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'active': operations that keep to a rounding mode or to floating-point exceptions have no derivative: compile without -frounding-math, -ftrapping-math, -ffp-exception-behavior, -ffp-model=strict and pragmas that ask for the same
    y[i] = x[i] * x[i];
}
[[kernix::bind, kernix::differentiable]] __global__ void needed(const float *x, const int *at, float *y) {
#ifdef PRAGMA
#pragma clang fp exceptions(strict)
#endif
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: cannot differentiate 'needed': operations that keep to a rounding mode
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'needed': operations that keep to a rounding mode
  float i = 0.5f * at[threadIdx.x];
  // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'needed': operations that keep to a rounding mode
  y[threadIdx.x] = x[int(i)];
}
