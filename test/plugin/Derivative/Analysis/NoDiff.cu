// What is constant for differentiation has no adjoint, and nothing of how it is marked reaches the code: that of the
// primal is the same as without.
// RUN: %cpu-device -O1 -S -emit-llvm -DDERIVED %s -o - | FileCheck %s
// RUN: %cpu-device -O0 -S -emit-llvm -DDERIVED %s -o - | FileCheck %s --check-prefix=LEFT
// Strings are numbered in the order in which they are seen.
// RUN: %cpu-device -O1 -S %s -o - | sed 's/kernix.str.[0-9]*/kernix.str/g' > %t.with
// RUN: %cpu-device -O1 -S -DUNMARKED %s -o - | sed 's/kernix.str.[0-9]*/kernix.str/g' > %t.without
// RUN: diff %t.with %t.without
#include <kernix/kernix.h>

#ifdef UNMARKED
#define NO_DIFF
#else
#define NO_DIFF [[kernix::no_diff]]
#endif
#ifdef DERIVED
#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__
#else
#define BACKWARD __global__
#endif

// LEFT-NOT: call {{.*}}@llvm.var.annotation
// LEFT-NOT: @kernix.constant
// LEFT-NOT: @"kernix.constant
// LEFT-NOT: @kernix.no_diff

// One way to x is left.
BACKWARD void variable(const float *x, float *y) {
  NO_DIFF float c = expf(x[threadIdx.x]);
  y[threadIdx.x] = c * x[threadIdx.x];
}
// CHECK-LABEL: define {{.*}}@_Z12variable_bwd
// CHECK: call {{.*}}@llvm.exp.f32
// CHECK: fmul
// CHECK-NOT: fmul
// CHECK: ret void

// A call that LLVM simplifies.
BACKWARD void power(const float *x, float *y) {
  float c;
  NO_DIFF c = __builtin_powif(x[threadIdx.x], 1);
  y[threadIdx.x] = c * x[threadIdx.x];
}
// CHECK-LABEL: define {{.*}}@_Z9power_bwd
// CHECK: fmul
// CHECK-NOT: fmul
// CHECK: ret void

NO_DIFF __device__ float function(float x) { return expf(x); }
BACKWARD void called(const float *x, float *y) { y[threadIdx.x] = function(x[threadIdx.x]) * x[threadIdx.x]; }
// CHECK-LABEL: define {{.*}}@_Z10called_bwd
// CHECK: call {{.*}}@llvm.exp.f32
// CHECK: fmul
// CHECK-NOT: fmul
// CHECK: ret void
