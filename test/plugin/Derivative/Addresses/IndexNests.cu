// What the loops of a nest count together, and indices that a flag chooses, are no error.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// CHECK-LABEL: define {{.*}}@_Z18window_of_a_radius
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void window_of_a_radius(const float *x, float *y, int n, int r) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, side = 2 * r + 1;
  if (i >= n)
    return;
  for (int a = 0; a < side; ++a)
    for (int b = 0; b < side; ++b)
      y[(a * side + b) * n + i] = x[i] * x[a];
}

// CHECK-LABEL: define {{.*}}@_Z14running_output
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void running_output(const float *x, float *y, int rows, int columns, int step, float factor) {
  float *to = y + threadIdx.x;
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < columns; ++b) {
      *to = x[b] * factor;
      to += step;
    }
}

// CHECK-LABEL: define {{.*}}@_Z15running_counter
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void running_counter(const float *x, float *y, int planes, int rows, int columns) {
  int count = 0;
  for (int p = 0; p < planes; ++p)
    for (int a = 0; a < rows; ++a)
      for (int b = 0; b < columns; ++b, ++count)
        y[count * blockDim.x + threadIdx.x] = x[b] * x[a];
}

// CHECK-LABEL: define {{.*}}@_Z14rotated_by_two
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rotated_by_two(const float *x, float *y, int half, bool halves) {
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    int a = halves ? i : 2 * i, b = halves ? i + half : 2 * i + 1;
    y[a] = x[a] * x[b];
    y[b] = x[a];
  }
}

// CHECK-LABEL: define {{.*}}@_Z15by_one_of_loops
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void by_one_of_loops(const float *x, float *y, int n, bool backwards) {
  if (backwards)
    for (int i = 0; i < n; ++i)
      y[n - 1 - i] = x[i] * x[i];
  else
    for (int i = 0; i < n; ++i)
      y[i] = x[i] * x[i];
}
