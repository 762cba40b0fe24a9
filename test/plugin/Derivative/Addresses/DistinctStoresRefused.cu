// Stores of a thread in loops that may come to one element twice.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void one_too_many(const float *x, float *y, int rows) {
  for (int row = 0; row < rows; ++row)
    for (int c = 0; c < 1025; ++c)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'one_too_many': it cannot be shown that 'y' is stored to a different element
      y[row * 1024 + c] = x[row * 1024 + c] * x[c];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void with_the_last(const float *x, float *y, int rows, int columns) {
  for (int row = 0; row < rows; ++row)
    for (int c = 0; c <= columns; ++c)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'with_the_last': it cannot be shown that 'y' is stored to a different element
      y[row * columns + c] = x[row * columns + c] * x[c];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void same_row(kernix::TensorView<const float> x, kernix::TensorView<float> y) {
  for (int row = blockIdx.x; row < x.size(0); row += gridDim.x)
    for (int c = threadIdx.x; c < x.size(1); c += blockDim.x)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'same_row': it cannot be shown that 'y' is stored to a different element
      y(blockIdx.x, c) = x(row, c) * x(row, c);
}

// The row's last element and the first one of the next are one.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void next_too(const float *x, float *y, int rows, int columns) {
  for (int row = 0; row < rows; ++row)
    for (int c = 0; c < columns; ++c) {
      y[row * columns + c] = x[row * columns + c] * x[c];
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'next_too': it cannot be shown that two stores to 'y' are to the same element or to different ones
      y[row * columns + c + 1] = x[c];
    }
}

// 6 columns, and a tile of 16 * 8.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void narrow_tile(const float *x, float *y) {
  for (int r = 0; r < 8; ++r)
    for (int s = 0; s < 8; ++s)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'narrow_tile': it cannot be shown that two stores to 'y' are to the same element or to different ones
      y[(r * 16 + threadIdx.y) * 6 + s * 16 + threadIdx.x] = x[r * 8 + s] * x[s];
}

// What a thread has computed may be negative: the columns before the first are those of the row before.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void from_anywhere(const float *x, float *y, const int *starts, int rows, int columns) {
  const int first = starts[blockIdx.x];
  for (int row = threadIdx.x; row < rows; row += blockDim.x)
    for (int c = first; c < columns; ++c)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'from_anywhere': it cannot be shown that 'y' is stored to a different element
      y[row * columns + c] = x[row * columns + c] * x[row];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void of_any_width(const float *x, float *y, const int *widths, int rows) {
  const int columns = widths[blockIdx.x];
  for (int row = threadIdx.x; row < rows; row += blockDim.x)
    for (int c = 0; c < 5; ++c)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'of_any_width': it cannot be shown that
      y[row * columns + c] = x[row * columns + c] * x[row];
}

// An index of a byte comes back to the first element.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void index_of_a_byte(const float *x, float *y, int rows, int columns) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x)
    for (int c = 0; c < columns; ++c)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'index_of_a_byte': it cannot be shown that 'y' is stored to a different element
      y[static_cast<unsigned char>(c)] = x[row * columns + c] * x[row];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void only_a_byte(const float *x, float *y, int n) {
  for (int c = 0; c < n; ++c)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'only_a_byte': it cannot be shown that 'y' is stored to a different element
    y[static_cast<unsigned char>(c)] = x[c] * x[c];
}
