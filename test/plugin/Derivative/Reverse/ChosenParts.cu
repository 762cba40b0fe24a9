// Where a select has not chosen a quotient, the adjoint of its divisor is not zero times infinity, but zero.
// REQUIRES: cuda
// RUN: %toolkit-device -O2 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable(backward)]] __global__ void

// CHECK-LABEL: define {{.*}}@_Z10chosen_bwdPK
// CHECK: %[[IS_ZERO:[0-9]+]] = fcmp {{.*}}oeq double %[[X:[0-9]+]], 0.0
// CHECK: select {{.*}}i1 %[[IS_ZERO]], double -0.0
// CHECK: fdiv {{.*}}double -2.0{{.*}}, %[[X]]
// CHECK: select {{.*}}i1 %[[IS_ZERO]], double -0.0
// CHECK: ret void
KERNEL chosen(const double *x, double *y) {
  const double q = 2 / x[threadIdx.x];
  y[threadIdx.x] = x[threadIdx.x] == 0 ? 1 : q;
}

// Another lane may have chosen what this one has not.
// CHECK-LABEL: define {{.*}}@_Z13exchanged_bwdPK
// CHECK: fdiv {{.*}}double -2.0
// CHECK-NOT: select
// CHECK: ret void
KERNEL exchanged(const double *x, double *y) {
  const double q = 2 / x[threadIdx.x], other = __shfl_xor_sync(0xffffffffu, q, 1);
  y[threadIdx.x] = x[threadIdx.x] == 0 ? 1 : other;
}
