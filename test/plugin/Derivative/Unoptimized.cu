// Without optimisation: what only served to write the derivatives is gone, and ptxas takes what is left.
// RUN: %toolkit-device -O0 -S %s -o %t.ptx && FileCheck %s < %t.ptx && %ptxas -arch=sm_90 %t.ptx -o /dev/null
// REQUIRES: cuda
#include <kernix/kernix.h>

// CHECK-NOT: kernix_primal
// CHECK: .entry _Z10square_bwdPKfPfS1_S0_i(
// CHECK-NOT: kernix_primal
[[kernix::bind, kernix::differentiable]]
__global__ void square(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}
