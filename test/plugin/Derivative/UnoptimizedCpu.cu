// Without optimisation: nothing of what stood for the derivatives before they were written is left for the linker.
// RUN: %cpu-device -O0 -S %s -o - | FileCheck %s
#include <kernix/kernix.h>

// CHECK-NOT: kernix_derivative_was_not_made
// CHECK: _Z10square_bwdPKfPfS1_S0_i
// CHECK-NOT: kernix_derivative_was_not_made
[[kernix::bind, kernix::differentiable]]
__global__ void square(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}
