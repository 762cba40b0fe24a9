// Which additions go to the memory together: those that are always as far apart.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o - | FileCheck %s
#include <kernix/kernix.h>

// Beside each other wherever that is, and only where a sum does not wrap around.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void beside(const float *x, const int *at, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int k = at[i];
  float2 v = reinterpret_cast<const float2 *>(x)[k];
  y[i] = v.x * x[2 * k + 1];
}
// CHECK-LABEL: .entry _Z10beside_bwd{{.*}}({{$}}
// CHECK: red.global.add.v2.f32
// CHECK-NOT: red
// CHECK-NOT: atom
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void perhaps_beside(const float *x, float *y, unsigned short p, unsigned short q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 v = reinterpret_cast<const float2 *>(x)[i + static_cast<unsigned short>(p + q)];
  y[i] = v.x * x[2 * (i + p + q) + 1];
}
// CHECK-LABEL: .entry _Z18perhaps_beside_bwd{{.*}}({{$}}
// CHECK-NOT: v2
// CHECK: ret;
