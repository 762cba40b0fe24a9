// Chosen indices of a view stay factors of its strides, and copies of views that are read at computed axes are not made.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O0 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// CHECK-LABEL: define {{.*}}@_Z12previous_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void previous(kernix::TensorView<const float> x, kernix::TensorView<float> y) {
  int i = threadIdx.x;
  y(i) = x(i) * x(i > 0 ? i - 1 : 0);
}

// CHECK-LABEL: define {{.*}}@_Z15all_of_them_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void all_of_them(kernix::TensorView<const float> x, kernix::TensorView<float> y) {
  int i = threadIdx.x;
  if (i < x.numel())
    y(i) = x(i) * x(i);
}
