// What is computed before it is known whether it counts is reversed only where it does.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// The cosine is the sine's derivative.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void passed_over(const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  for (int k = 0; k < m; ++k) {
    float step = sinf(v);
    if (step < 0.5f)
      continue;
    v = v * 0.5f + step;
  }
  y[i] = v;
}
// CHECK-LABEL: define {{.*}}@_Z15passed_over_bwdPKfPfS1_S0_ii(
// CHECK-COUNT-3: @llvm.sin.f32(
// CHECK: {{^}}[[COUNTS:[0-9]+]]:{{ *}}; preds = %{{[0-9]+$}}
// CHECK-NEXT: fmul
// CHECK-NEXT: @llvm.cos.f32(
// CHECK-NEXT: fmul
// CHECK-NEXT: fadd
// CHECK-NEXT: br label %[[GOES_ON:[0-9]+]]
// CHECK: {{^}}[[GOES_ON]]:
// CHECK-NEXT: phi float [ %{{[0-9]+}}, %[[COUNTS]] ], [ %{{[0-9]+}}, %{{[0-9]+}} ]
// CHECK-NEXT: icmp
// CHECK-NOT: @llvm.cos.f32(
// CHECK: ret void
