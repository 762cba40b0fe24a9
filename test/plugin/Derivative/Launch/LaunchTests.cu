// What a proof asks of the launch, where the products may be more than 64 bits hold, and where they may not.
// REQUIRES: cpu
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable(backward)]] __global__ void

// Threads a * b elements apart: up to 1024 times 2^62.
// CHECK-LABEL: define {{.*}}@_Z13far_apart_bwdPKfPfS1_S1_ii(
// CHECK: call { i64, i1 } @llvm.smul.with.overflow.i64
// CHECK: ret void
KERNEL far_apart(const float *x, float *sum, int a, int b) {
  const unsigned k = threadIdx.x * static_cast<unsigned>(a) * b;
  atomicAdd(sum, x[k] * x[k]);
}

// CHECK-LABEL: define {{.*}}@_Z8rows_bwdPKfPfS1_S1_ii(
// CHECK-NOT: with.overflow
// CHECK: ret void
KERNEL rows(const float *x, float *sum, int width, int n) {
  const int i = blockIdx.y * width + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i] * x[i]);
}

// A size that a guard keeps threads from reading: the test reads within the view, whatever the axis is, and fails.
// CHECK-LABEL: define {{.*}}@_Z9along_bwdPKfPfS1_S1_N6kernix10TensorViewIKiEEi(
// CHECK: [[IS_THERE:%[0-9]+]] = icmp ult i32 [[AXIS:%[0-9]+]], 17
// CHECK: [[PLACE:%[0-9]+]] = select i1 [[IS_THERE]], i64 {{%[0-9]+}}, i64 0
// CHECK: [[SIZE:%[0-9]+]] = getelementptr i8, ptr %{{[0-9]+}}, i64 [[PLACE]]
// CHECK: load i64, ptr [[SIZE]]
// CHECK: and i1 [[IS_THERE]]
// CHECK: ret void
KERNEL along(const float *x, float *sum, kernix::TensorView<const int> like, int axis) {
  const int i = threadIdx.x;
  if (axis >= 0 && axis < like.rank())
    atomicAdd(sum, x[i * like.size(axis)] * x[i * like.size(axis)]);
}

// One that is always in the view is read as it is.
// CHECK-LABEL: define {{.*}}@_Z11columns_bwdPKfPfS1_S1_N6kernix10TensorViewIKiEE(
// CHECK-NOT: select i1 {{.*}}, i64 0
// CHECK: ret void
KERNEL columns(const float *x, float *sum, kernix::TensorView<const int> like) {
  const int i = threadIdx.x;
  if (like.rank() > 1)
    atomicAdd(sum, x[i * like.size(1)] * x[i * like.size(1)]);
}
