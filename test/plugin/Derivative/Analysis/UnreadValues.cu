// What a backward kernel does not read, it says: the last of its launch facts has a bit for each parameter of f.
// RUN: %cpu-device -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O2 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

// The index is read, the value is not. Scalars count as not read.
// CHECK-DAG: %struct.kernix_launch_facts { i64 {{-?[0-9]+}}, i32 9, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 13, i32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void linear(const float *x, const int *at, float *y, int n) {
  if (I < n)
    y[I] = 3 * x[at[I]];
}

// CHECK-DAG: %struct.kernix_launch_facts { i64 {{-?[0-9]+}}, i32 9, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 6, i32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void square(const float *x, float *y, int n) {
  if (I < n)
    y[I] = x[I] * x[I];
}

// Sizes and strides of a view are no elements.
// CHECK-DAG: %struct.kernix_launch_facts { i64 {{-?[0-9]+}}, i32 9, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 3, i32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void doubled(kernix::TensorView<const float> x, kernix::TensorView<float> y) {
  if (I < x.size(0))
    y(I) = 2 * x(I);
}

// Whether there is a tensor is not what is in it.
// CHECK-DAG: %struct.kernix_launch_facts { i64 {{-?[0-9]+}}, i32 9, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 15, i32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void sum(const float *x, [[kernix::optional]] const float *z, float *y, int n) {
  if (I < n)
    y[I] = z ? x[I] + z[I] : x[I];
}

// A condition is read although it has no gradient of its own.
// CHECK-DAG: %struct.kernix_launch_facts { i64 {{-?[0-9]+}}, i32 9, i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 26, i32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void chosen(const float *x, const float *z, [[kernix::no_diff]] const float *which, float *y, int n) {
  if (I < n)
    y[I] = which[I] > 0 ? x[I] * x[I] : z[I];
}
