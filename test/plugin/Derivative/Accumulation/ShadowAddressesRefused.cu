// Elements of views whose place in the gradient's view cannot be told, since its strides are its own.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

using View = kernix::TensorView<const float>;

[[kernix::bind, kernix::differentiable(backward)]] __global__ void computed_axis(View x, float *y, int axis) {
  int i = threadIdx.x;
  // CHECK: :[[#@LINE+1]]:25: error: cannot differentiate 'computed_axis': a view is indexed in a way whose address in the gradient's view cannot be computed: the index depends on the view's strides through a loop or a computed axis
  y[i] = x.data()[i * x.stride(axis)];
}

// CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'moved': a pointer that leads to different objects on different ways cannot be followed; use an index
[[kernix::bind, kernix::differentiable(backward)]] __global__ void moved(View x, float *y) {
  int i = threadIdx.x;
  const float *p = &x(i, 0);
  float sum = 0;
  for (int k = 0; k < x.size(1); ++k) {
    sum += *p * *p;
    p += x.stride(1);
  }
  y[i] = sum;
}

[[kernix::bind, kernix::differentiable(backward)]] __global__ void by_index(View x, float *y) {
  int i = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < x.size(1); ++k)
    sum += x(i, k) * x(i, k);
  y[i] = sum;
}
