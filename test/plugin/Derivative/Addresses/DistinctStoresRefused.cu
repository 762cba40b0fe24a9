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

// Row 2 i and column i is in the triangle of a later iteration, though j is below the i of its own.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void later_triangle(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i) {
    y[2 * i * n + i] = x[i] * 3;
    for (int j = 0; j < i; ++j)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'later_triangle': it cannot be shown that two stores to 'y' are to the same element or to different ones
      y[i * n + j] = x[i] * x[j];
  }
}

// The middle is written twice.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void ends_that_meet(const float *x, float *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    y[i] = x[i] * x[i];
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'ends_that_meet': it cannot be shown that two stores to 'y' are to the same element or to different ones
    y[2 * n - 2 - i] = x[i] * 3;
  }
}

// Each element is the partner of another one.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void partners(const float *x, float *y, int n) {
  for (int k = 0; k < n; ++k) {
    y[k] = x[k] * x[k];
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'partners': it cannot be shown that two stores to 'y' are to the same element or to different ones
    y[k ^ 1] = x[k] * 3;
  }
}

// So it is where only one of two partners comes: what holds in one iteration does not hold between two.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void partners_above(const float *x, float *y, int n) {
  for (int k = 0; k < n; ++k)
    if ((k ^ 6) > k) {
      y[k] = x[k] * x[k];
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'partners_above': it cannot be shown that two stores to 'y' are to the same element or to different ones
      y[k ^ 6] = x[k] * 3;
    }
}

// Number 12 of the bits leads from a row of ten thousand elements into the next.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void bit_of_the_next_row(const float *x, float *y, int n) {
  for (int row = 0; row < n; ++row)
    for (int k = 0; k < 10000; ++k)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'bit_of_the_next_row': it cannot be shown that 'y' is stored to a different element
      y[row * 10000 + (k ^ 0x1000)] = x[row] * x[k];
}

// Two iterations have the same number, of which a bit is changed.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void flipped_halves(const float *x, float *y, int n) {
  for (int k = 0; k < n; ++k)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'flipped_halves': it cannot be shown that 'y' is stored to a different element
    y[(k / 2) ^ 5] = x[k] * x[k];
}

// The element that ends a row is one that the loop has not stored to, in the row: the loop's counter is not the one that
// has left it.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void ended_rows(const float *x, const int *ends, float *y, int rows, int columns) {
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k < columns; ++k) {
      if (ends[row * columns + k]) {
        y[row * columns + k] = x[row];
        break;
      }
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'ended_rows': it cannot be shown that two stores to 'y' are to the same element or to different ones
      y[row * columns + k] = x[row] * x[k];
    }
}
