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
