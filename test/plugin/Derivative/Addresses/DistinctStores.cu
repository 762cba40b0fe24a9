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

// A tile of two by two for each thread. Which bits of threadIdx.x are a row and which a column is written, and
// simplified, in many ways.
// CHECK-LABEL: define {{.*}}@_Z12tile_by_bits
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void tile_by_bits(const float *x, float *y) {
  unsigned t = threadIdx.x % 16, row = t / 4 * 2, column = (t & 3) << 1;
  for (unsigned u = 0; u < 2; ++u)
    for (unsigned v = 0; v < 2; ++v)
      y[((row | u) << 3) + (column | v)] = x[t] * x[t];
}

// The last step is peeled off: it is behind all that the loop goes through.
// CHECK-LABEL: define {{.*}}@_Z15from_the_bottom
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void from_the_bottom(const float *x, float *y, int rows, int columns) {
  int c = threadIdx.x;
  float carry = 0;
  for (int r = rows - 1; r >= 0; --r) {
    carry = x[r * columns + c] * carry + (r + 1 < rows ? x[(r + 1) * columns + c] : 0);
    y[r * columns + c] = carry;
  }
}

// What tells an odd size is asked where only odd sizes come: not of all threads at the entry, which compare the sizes
// for the loop only.
// CHECK-LABEL: define {{.*}}@_Z13pairs_and_odd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void pairs_and_odd(const float *x, float *y, int n) {
  int t = threadIdx.x, step = blockDim.x;
  for (int k = t; k < n / 2; k += step) {
    y[2 * k] = x[2 * k] * x[2 * k + 1];
    y[2 * k + 1] = x[2 * k];
  }
  if (t == 0 && n % 2)
    y[n - 1] = x[n - 1];
}

// Each of the two iterations knows its own index to be below n.
// CHECK-LABEL: define {{.*}}@_Z9both_ends
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void both_ends(const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = x[i] * x[i];
    y[2 * n - 1 - i] = x[i] * 3;
  }
}

// Another bit of each index, in rows that are long enough for it.
// CHECK-LABEL: define {{.*}}@_Z7flipped
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void flipped(const float *x, float *y, int n) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x)
    for (int k = 0; k < 1000; ++k)
      y[row * 1024 + (k ^ 9)] = x[row] * x[k];
}

// The diagonal is beside the triangle of its own row, and in another row than the others.
// CHECK-LABEL: define {{.*}}@_Z21triangle_and_diagonal
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void triangle_and_diagonal(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i) {
    y[i * n + i] = x[i] * x[i];
    for (int j = 0; j < i; ++j)
      y[i * n + j] = x[i] * x[j];
  }
}

// A minimum is not above either of its operands.
// CHECK-LABEL: define {{.*}}@_Z7last_ofPKfPfiii
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void last_of(const float *x, float *y, int n, int rows, int w) {
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < min(w, n - r * w); ++k)
      y[r * w + k] = x[r] * x[k];
}

// What LLVM knows of an index in a branch takes its place there: `y[0]`.
// CHECK-LABEL: define {{.*}}@_Z15ends_of_stencilPKfPfi
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void ends_of_stencil(const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (i == 0)
      y[i] = x[0] * 3;
    else if (i == n - 1)
      y[i] = x[i] * x[0];
    else
      y[i] = x[i - 1] * x[i + 1];
}

// How far it counts is asked, whatever it is computed from.
// CHECK-LABEL: define {{.*}}@_Z15without_minimum
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void without_minimum(const float *x, float *y, int n, int rows, int w, int a, int b) {
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < n - min(a, b); ++k)
      y[r * w + k] = x[r] * x[k];
}
