// Stores of a thread in loops that go to different elements are no error.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// The extent of the grid is a step that never changes, though nothing is moved over a barrier.
// CHECK-LABEL: define {{.*}}@_Z12rows_in_turn
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_in_turn(const float *x, float *y, int rows) {
  __shared__ float s[256];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float v = x[row * 256 + threadIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    y[row * 256 + threadIdx.x] = v * s[255 - threadIdx.x];
    __syncthreads();
  }
}

// CHECK-LABEL: define {{.*}}@_Z12sixteen_rows
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void sixteen_rows(const float *x, float *y, int rows) {
  __shared__ float s[256];
  for (int k = 0; k < 16; ++k) {
    int row = blockIdx.x * 16 + k;
    if (row >= rows)
      break;
    float v = x[row * 256 + threadIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    y[row * 256 + threadIdx.x] = v * s[255 - threadIdx.x];
    __syncthreads();
  }
}

// Rows of more columns than threads: the bound of the columns keeps the inner loop within the row.
// CHECK-LABEL: define {{.*}}@_Z9wide_rows
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void wide_rows(const float *x, float *y, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x)
    for (int c = threadIdx.x; c < 1024; c += 256)
      y[row * 1024 + c] = x[row * 1024 + c] * x[row * 1024 + c];
}

// CHECK-LABEL: define {{.*}}@_Z11any_columns
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void any_columns(const float *x, float *y, int rows, int columns) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x)
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
      y[row * columns + c] = x[row * columns + c] * x[row * columns + c];
}

// Elements of a view by their indices.
// CHECK-LABEL: define {{.*}}@_Z8of_views
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void of_views(kernix::TensorView<const float> x, kernix::TensorView<float> y) {
  for (int row = blockIdx.x; row < x.size(0); row += gridDim.x)
    for (int c = threadIdx.x; c < x.size(1); c += blockDim.x)
      y(row, c) = x(row, c) * x(row, c);
}

// Four rows of a tile for each thread: a distance of 8 * width, which the launch must show not to be zero.
// CHECK-LABEL: define {{.*}}@_Z12rows_of_tile
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_tile(const float *x, float *y, int width) {
  const int column = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 32;
  for (int k = 0; k < 32; k += 8) {
    const int i = (top + k + threadIdx.y) * width + column;
    y[i] = x[i] * x[i];
  }
}

// A tile of 8 by 8 elements, 16 apart in both directions.
// CHECK-LABEL: define {{.*}}@_Z16tile_of_constant
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void tile_of_constant(const float *x, float *y) {
  for (int r = 0; r < 8; ++r)
    for (int s = 0; s < 8; ++s)
      y[(blockIdx.y * 128 + r * 16 + threadIdx.y) * 2048 + blockIdx.x * 128 + s * 16 + threadIdx.x] = x[r * s] * x[s];
}

// CHECK-LABEL: define {{.*}}@_Z13tile_of_width
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void tile_of_width(const float *x, float *y, int n) {
  for (int r = 0; r < 8; ++r)
    for (int s = 0; s < 8; ++s)
      y[(blockIdx.y * 128 + r * 16 + threadIdx.y) * n + blockIdx.x * 128 + s * 16 + threadIdx.x] = x[r * s] * x[s];
}

// The row of a warp is no sum of products; that the thread has computed it once is enough.
// CHECK-LABEL: define {{.*}}@_Z13rows_of_warps
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_warps(const float *x, float *y, int rows, int columns) {
  const int lane = threadIdx.x % 32, first = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int warps = gridDim.x * blockDim.x / 32;
  for (int row = first; row < rows; row += warps)
    for (int c = lane; c < columns; c += 32)
      y[row * columns + c] = x[row * columns + c] * x[row * columns + c];
}

// CHECK-LABEL: define {{.*}}@_Z16rows_of_any_size
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_any_size(const float *x, float *y, int rows, int columns) {
  for (int row = blockIdx.x * blockDim.y + threadIdx.y; row < rows; row += gridDim.x * blockDim.y)
    y[row * columns + threadIdx.x] = x[row * columns + threadIdx.x] * x[row];
}
