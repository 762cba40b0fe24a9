// Signed numbers and unsigned ids in one index, as kernels are mostly written.
#include "bank.h"

// bank: x in [rows, 64] -1:1 | y out [rows, 64] | rows = 5 | @block 64 | @grid 2
KERNEL void rows_in_turn(const T *x, T *y, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x)
    y[row * 64 + threadIdx.x] = sin(x[row * 64 + threadIdx.x]);
}

// More threads than a row has elements: two rows add to one element.
// bank: x in [6, 64] -1:1 | y out [rows, 96] | rows = 5 | @block 96 | @grid 2
KERNEL void rows_that_overlap(const T *x, T *y, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x)
    y[row * 96 + threadIdx.x] = sin(x[row * 64 + threadIdx.x]);
}

// bank: x in [rows, 48] -1:1 | y out [rows, 48] | rows = 5 | @block 48 | @grid 3
KERNEL void rows_as_wide_as_blocks(const T *x, T *y, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const int i = row * blockDim.x + threadIdx.x;
    y[i] = sin(x[i]) * x[i];
  }
}

// bank: x in [4, n] -1:1 | y out [4, n] | n = 70 | @block 32 | @grid 4
KERNEL void row_of_a_block(const T *x, T *y, int n) {
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    y[blockIdx.x * n + j] = sin(x[blockIdx.x * n + j]);
}

// bank: x in [2, c, h, w] -1:1 | y out [2, c, h, w] | c = 3 | h = 5 | w = 7 | @block 16 | @grid 1,3,2
KERNEL void planes_of_blocks(const T *x, T *y, int c, int h, int w) {
  for (int i = threadIdx.x; i < h * w; i += blockDim.x) {
    const int at = (blockIdx.z * c + blockIdx.y) * h * w + i;
    y[at] = sin(x[at]) + x[at];
  }
}

// bank: x in [n] -1:1 | y out [n] | n = 300 | @block 64 | @grid 2
KERNEL void four_elements_apart(const T *x, T *y, int n) {
  const int base = blockIdx.x * 256;
  for (int k = 0; k < 4; ++k) {
    const int i = base + k * 64 + threadIdx.x;
    if (i < n)
      y[i] = sin(x[i]) * x[i];
  }
}

// More threads than elements from one place to the next: two add to one element.
// bank: x in [n] -1:1 | y inout [n] -1:1 | n = 320 | @block 128 | @grid 2
KERNEL void places_that_overlap(const T *x, T *y, int n) {
  const int base = blockIdx.x * 128;
  for (int k = 0; k < 4; ++k) {
    const int i = base + k * 32 + threadIdx.x;
    if (i < n)
      atomicAdd(&y[i], sin(x[i]));
  }
}
