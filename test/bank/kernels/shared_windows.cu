// Windows over tiles in shared memory, of which each thread reads several elements: along rows, down columns, in loops
// that some threads leave earlier than others, and in blocks of other shapes than the source says.
#include "bank.h"

// Some threads return before the second window; some run the first loop twice, the others once.
// bank: x in [height, width] 0.5:1.5 | y out [height, width] | height = 13 | width = 27 | @block 16,16 | @grid 2,1
// bank: x in [height, width] 0.5:1.5 | y out [height, width] | height = 32 | width = 16 | @block 16,16 | @grid 1,2
ONCE_KERNEL void window_both_ways(const T *x, T *y, int height, int width) {
  __shared__ T a[20][20];
  __shared__ T sums[2][20][16];
  int thread = threadIdx.y * 16 + threadIdx.x, top = blockIdx.y * 16, left = blockIdx.x * 16;
  for (int k = thread; k < 400; k += 256) {
    int row = top + k / 20 - 2, column = left + k % 20 - 2;
    bool inside = row >= 0 && row < height && column >= 0 && column < width;
    a[k / 20][k % 20] = inside ? x[row * width + column] : T(0);
  }
  __syncthreads();
  for (int k = thread; k < 320; k += 256) {
    int row = k / 16, column = k % 16;
    T sum = 0, squares = 0;
    for (int d = 0; d < 5; ++d) {
      T u = a[row][column + d];
      sum += T(d + 1) / 8 * u;
      squares += T(5 - d) / 8 * u * u;
    }
    sums[0][row][column] = sum;
    sums[1][row][column] = squares;
  }
  __syncthreads();
  int row = top + threadIdx.y, column = left + threadIdx.x;
  if (row >= height || column >= width)
    return;
  T m = 0, v = 0;
  for (int d = 0; d < 5; ++d) {
    m += T(d + 2) / 16 * sums[0][threadIdx.y + d][threadIdx.x];
    v += T(6 - d) / 16 * sums[1][threadIdx.y + d][threadIdx.x];
  }
  y[row * width + column] = m * m / (v + T(1)) + m;
}

// Rows of a block that are warps, as the source says, or half ones, or two, or neither.
// bank: x in [20, 68] 0.5:1.5 | w in [9] -1:1 | y out [16, 64] | width = 64 | @block 32,8 | @grid 2,2
// bank: x in [20, 68] 0.5:1.5 | w in [9] -1:1 | y out [16, 64] | width = 59 | @block 16,4 | @grid 4,4
// bank: x in [20, 68] 0.5:1.5 | w in [9] -1:1 | y out [16, 64] | width = 50 | @block 64,2 | @grid 1,8
// bank: x in [20, 68] 0.5:1.5 | w in [9] -1:1 | y out [16, 64] | width = 64 | @block 7,3 | @grid 9,5
KERNEL void window_of_rows [[kernix::block(32, 8)]] (const T *x, const T *w, T *y, int width) {
  __shared__ T tile[12][68];
  int i = threadIdx.x, j = threadIdx.y, left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
  for (int row = j; row < 12; row += blockDim.y)
    for (int column = i; column < 68; column += blockDim.x)
      tile[row][column] = top + row < 20 && left + column < 68 ? x[(top + row) * 68 + left + column] : T(0);
  __syncthreads();
  // Parts of warps, and whole rows.
  if (left + i >= width || (left + i) % 5 == 3 || (top + j) % 7 == 4)
    return;
  T sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx)
      sum += w[3 * dy + dx] * tile[j + dy][i + dx];
  y[(top + j) * 64 + left + i] = sum * sum;
}

// What a thread reads meets what its neighbours read, and neighbours of these. Warps end in the middle of a row.
// bank: x in [100] 0.5:1.5 | y out [n] | n = 48 | @block 24,2 | @grid 1
// bank: x in [100] 0.5:1.5 | y out [n] | n = 48 | @block 16,3 | @grid 1
// bank: x in [100] 0.5:1.5 | y out [n] | n = 41 | @block 8,6 | @grid 1
KERNEL void window_of_pairs [[kernix::block(8, 6)]] (const T *x, T *y, int n) {
  __shared__ T a[100];
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  for (int k = t; k < 100; k += 48)
    a[k] = sin(x[k]);
  __syncthreads();
  if (t >= n)
    return;
  T product = 1;
  for (int d = 0; d < 6; ++d)
    product += product * a[2 * t + (d * 2) % 5];
  y[t] = product;
}

// A loop that half of the threads run once and the others twice, each time through four neighbours; its results are
// read across the block.
// bank: x in [104] 0.5:1.5 | w in [4] 0.5:1.5 | y out [96] | n = 96 | @block 64 | @grid 1
// bank: x in [104] 0.5:1.5 | w in [4] 0.5:1.5 | y out [96] | n = 70 | @block 64 | @grid 1
KERNEL void window_in_steps [[kernix::block(64)]] (const T *x, const T *w, T *y, int n) {
  __shared__ T a[104], b[100];
  int t = threadIdx.x;
  for (int k = t; k < 104; k += 64)
    a[k] = x[k];
  __syncthreads();
  for (int k = t; k < 96; k += 64) {
    T sum = 0;
    for (int d = 0; d < 4; ++d)
      sum += w[d] * a[k + d] * a[k + d];
    b[k] = sum;
  }
  if (t < 4)
    b[96 + t] = T(1);
  __syncthreads();
  for (int k = t; k < n; k += 64)
    y[k] = b[k] * b[k + 1] + b[k + 2] / b[k + 3] + b[k + 4];
}
