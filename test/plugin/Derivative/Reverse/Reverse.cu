// A backward kernel: the cotangent is read once, nothing of the primal is stored again, gradients are added.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void wave(const float *x, float *y, [[kernix::diff]] float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = a * sinf(x[i]);
}
// CHECK-LABEL: define {{.*}}@_Z8wave_bwdPKfPfS1_S0_fS1_i(
// CHECK: [[S:%.*]] = {{.*}}call contract float @llvm.sin.f32(
// CHECK: [[C:%.*]] = {{.*}}call contract float @llvm.cos.f32(
// CHECK-NOT: store float
// CHECK: [[NEW:%.*]] = fadd float
// CHECK: store float [[NEW]], ptr [[PLACE:%.*]], align 4
// CHECK-NOT: store float
// CHECK: atomicrmw fadd ptr [[PLACE]], float {{.*}} monotonic
// CHECK-NOT: store float
// CHECK: ret void

// A sum passes its adjoint on unchanged: the loop runs forwards, without a counter and without a tape.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows(const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < m; ++k)
    sum += x[i * m + k] * x[i * m + k];
  y[i] = sum;
}
// CHECK-LABEL: define {{.*}}@_Z8rows_bwdPKfPfS1_S0_ii(
// CHECK-NOT: alloca
// CHECK: atomicrmw fadd
// CHECK-NOT: atomicrmw
// CHECK: ret void

// The derivative of a reciprocal is made of the reciprocal: there is one division. That of a quotient divides once more.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void reciprocals(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 1 / x[i];
}
// CHECK-LABEL: define {{.*}}@_Z15reciprocals_bwdPKfPfS1_S0_i(
// CHECK-COUNT-1: fdiv
// CHECK-NOT: fdiv
// CHECK: ret void

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void quotients(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2 / x[i];
}
// CHECK-LABEL: define {{.*}}@_Z13quotients_bwdPKfPfS1_S0_i(
// CHECK-COUNT-2: fdiv
// CHECK-NOT: fdiv
// CHECK: ret void
