// Sums over a warp of one number are taken once.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o - | FileCheck %s
#include <kernix/kernix.h>

// What each thread gives to the parts is the same; eight loads are summed at once.
// CHECK-LABEL: .entry _Z9parts_bwd{{[^(]*}}(
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK-NOT: shfl
// CHECK: bar.sync
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void parts(const float *x, float *y) {
  __shared__ float part[8];
  if (threadIdx.x < 8)
    part[threadIdx.x] = x[8 * blockIdx.x + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += part[k];
  y[blockIdx.x * 256 + threadIdx.x] = sinf(sum);
}
