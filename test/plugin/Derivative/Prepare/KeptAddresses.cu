// The address of a row of a view, which the front of a loop computes, is computed again behind the loop, where the backward
// derivative needs it: a second derivative then knows its place in views with other strides.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O0 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// CHECK-LABEL: define {{.*}}@_Z21sums_of_views_bwd_bwd
[[kernix::bind, kernix::differentiable(2)]]
__global__ void sums_of_views(kernix::TensorView<const double> x, kernix::TensorView<double> y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= x.size(0))
    return;
  double sum = 0;
  for (int k = 0; k < x.size(1); ++k)
    sum += exp(x(r, k));
  y(r) = sum;
}
