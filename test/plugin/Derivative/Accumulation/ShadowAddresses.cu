// Gradients of views lie where the strides of the gradient say. Where a view is accessed in other ways than by its own
// indices, its gradient has to have its strides, which is asked at the launch.
// REQUIRES: cpu
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <complex>
#include <kernix/kernix.h>

using View = kernix::TensorView<const float>;

// CHECK-LABEL: define {{.*}}by_indices_bwd
// CHECK-NOT: kernix_cpu_assert_fail
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void by_indices(View x, View w, kernix::TensorView<float> y) {
  int i = threadIdx.x, j = threadIdx.y;
  if (i + 1 < x.size(0) && j < x.size(1))
    y(i, j) = x(i, j) * x(i + 1, j) * w(i);
}

// Of complex numbers too, whose parts lie beside each other.
// CHECK-LABEL: define {{.*}}of_complex_numbers_bwd
// CHECK-NOT: kernix_cpu_assert_fail
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void of_complex_numbers(kernix::TensorView<const std::complex<float>> x,
                                   kernix::TensorView<std::complex<float>> y) {
  int i = threadIdx.x, j = threadIdx.y;
  if (i < x.size(0) && j < x.size(1))
    y(i, j) = x(i, j) * std::conj(x(i, j)) + x(i, j).imag();
}

// What is indexed by the strides of another tensor is not asked for its own.
// CHECK-LABEL: define {{.*}}by_strides_of_another_bwd
// CHECK-NOT: kernix_cpu_assert_fail
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void by_strides_of_another(View x, const float *w, float *y) {
  int i = threadIdx.x;
  y[i] = x(i) * w[i * x.stride(0)];
}

// CHECK-LABEL: define {{.*}}by_address_bwd
// CHECK: kernix_cpu_assert_fail
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void by_address(View x, float *y) {
  int i = threadIdx.x;
  y[i] = x.data()[i] * x.data()[i];
}
