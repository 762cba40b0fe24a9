// What the way to the end of a function or an iteration has computed is not computed again on the way back, though
// both stand behind a condition.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// The sine and the cosine are each other's derivatives.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void positive_guard(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = sinf(x[i]) * cosf(x[i]);
}
// CHECK-LABEL: define {{.*}}@_Z18positive_guard_bwdPKfPfS1_S0_i(
// CHECK-COUNT-1: @llvm.sin.f32(
// CHECK-COUNT-1: @llvm.cos.f32(
// CHECK-NOT: @llvm.{{sin|cos}}.f32(
// CHECK: ret void

// Two places where it ends, and one where nothing is given.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void positive_places(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  if (v < 0) {
    y[i] = sinf(v) * cosf(v);
    return;
  }
  y[i] = tanf(v) + v * tanf(v);
}
// CHECK-LABEL: define {{.*}}@_Z19positive_places_bwdPKfPfS1_S0_i(
// CHECK-COUNT-1: @llvm.tan.f32(
// CHECK-COUNT-1: @llvm.sin.f32(
// CHECK-COUNT-1: @llvm.cos.f32(
// CHECK-NOT: @llvm.{{sin|cos|tan}}.f32(
// CHECK: ret void

// Each iteration is computed again, and what is computed again is there for its way back.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void positive_iteration(const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  for (int k = 0; k < m; ++k) {
    if (v < 0.5f)
      break;
    v = sinf(v) * cosf(v);
  }
  y[i] = v;
}
// Once to the end, once from checkpoint to checkpoint, once for the way back.
// CHECK-LABEL: define {{.*}}@_Z22positive_iteration_bwdPKfPfS1_S0_ii(
// CHECK-COUNT-3: @llvm.sin.f32(
// CHECK-NOT: @llvm.sin.f32(
// CHECK: ret void
