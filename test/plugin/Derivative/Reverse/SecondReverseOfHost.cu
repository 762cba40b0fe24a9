// What a host function's first derivative adds is plain, though what is differentiated of it adds by atomic operations:
// several additions to one element are no stores of which one counts. Cotangents of gradients are only read.
// RUN: %cpu-host -O2 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// CHECK-LABEL: define {{.*}}@_Z8weighted
// CHECK-LABEL: define {{.*}}@_Z12weighted_bwd
// CHECK-NOT: atomicrmw
// CHECK: ret void
// CHECK-LABEL: define {{.*}}@_Z16weighted_bwd_bwdd
// x, x_grad_, x_grad, x_grad_grad, and so on.
// CHECK-SAME: ptr noundef captures(address_is_null) %1, ptr noundef readnone captures(address_is_null) %2, ptr noundef readonly captures(address_is_null) %3,
// CHECK-NOT: atomicrmw
// CHECK: ret void
[[kernix::bind, kernix::differentiable(2)]] double weighted(double x, double w) {
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += i % 2 ? w * x * x : w * w * x;
  return sum;
}
