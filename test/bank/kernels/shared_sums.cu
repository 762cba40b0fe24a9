// Tiles in shared memory whose elements rows, columns or other groups of threads read, in blocks whose size the source
// says: what they give to one element is summed before it is added. Some launches have another size than that.
#include "bank.h"

// The product of two matrices, a result for each thread.
template <class T, int SIDE> __device__ void product_body(const T *a, const T *b, T *c, int n) {
  __shared__ T as[SIDE][SIDE], bs[SIDE][SIDE];
  int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
  T sum = 0;
  for (int t = 0; t < n; t += SIDE) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < SIDE; ++k)
      sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
// bank: a in [n, n] -1:1 | b in [n, n] -1:1 | c out [n, n] | n = 32 | @block 16,16 | @grid 2,2
KERNEL void product_of_16 [[kernix::block(16, 16)]] (const T *a, const T *b, T *c, int n) {
  product_body<T, 16>(a, b, c, n);
}
// bank: a in [n, n] -1:1 | b in [n, n] -1:1 | c out [n, n] | n = 64 | @block 32,32 | @grid 2,2
ONCE_KERNEL void product_of_32 [[kernix::block(32, 32)]] (const T *a, const T *b, T *c, int n) {
  product_body<T, 32>(a, b, c, n);
}
// bank: a in [n, n] -1:1 | b in [n, n] -1:1 | c out [n, n] | n = 16 | @block 8,8 | @grid 2,2
KERNEL void product_of_8 [[kernix::block(8, 8)]] (const T *a, const T *b, T *c, int n) {
  product_body<T, 8>(a, b, c, n);
}
// The source says another size.
// bank: a in [n, n] -1:1 | b in [n, n] -1:1 | c out [n, n] | n = 32 | @block 16,16 | @grid 2,2
KERNEL void product_of_another_size [[kernix::block(32, 8)]] (const T *a, const T *b, T *c, int n) {
  product_body<T, 16>(a, b, c, n);
}

// Threads that are counted through the block; results in registers.
// bank: a in [n, n] -1:1 | b in [n, n] -1:1 | c out [n, n] | n = 64 | @block 256,1 | @grid 1,1
KERNEL void product_in_registers [[kernix::block(256)]] (const T *a, const T *b, T *c, int n) {
  constexpr int SIDE = 64, DEEP = 8;
  __shared__ T as[DEEP][SIDE], bs[DEEP][SIDE + 4];
  int thread = threadIdx.x, tx = thread % 16, ty = thread / 16;
  int top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
  T sum[4][4] = {};
  for (int t = 0; t < n; t += DEEP) {
    for (int e = thread; e < SIDE * DEEP; e += 256) {
      as[e % DEEP][e / DEEP] = a[(top + e / DEEP) * n + t + e % DEEP];
      bs[e / SIDE][e % SIDE] = b[(t + e / SIDE) * n + left + e % SIDE];
    }
    __syncthreads();
    for (int j = 0; j < DEEP; ++j) {
      T u[4], v[4];
      for (int r = 0; r < 4; ++r) {
        u[r] = as[j][ty * 4 + r];
        v[r] = bs[j][tx * 4 + r];
      }
      for (int r = 0; r < 4; ++r)
        for (int s = 0; s < 4; ++s)
          sum[r][s] += u[r] * v[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int s = 0; s < 4; ++s)
      c[(top + ty * 4 + r) * n + left + tx * 4 + s] = sum[r][s];
}

// Two buffers, of which one is filled while the other is read; the loop is written out.
// bank: a in [n, n] -1:1 | b in [n, n] -1:1 | c out [n, n] | n = 32 | @block 64,1 | @grid 2,2
ONCE_KERNEL void product_of_two_buffers [[kernix::block(64)]] (const T *a, const T *b, T *c, int n) {
  __shared__ T as[2][8][16], bs[2][8][16];
  int thread = threadIdx.x, tx = thread & 7, ty = thread >> 3, top = blockIdx.y * 16, left = blockIdx.x * 16;
  T sum[2][2] = {};
  for (int e = thread; e < 128; e += 64) {
    as[0][e % 8][e / 8] = a[(top + e / 8) * n + e % 8];
    bs[0][e / 16][e % 16] = b[e / 16 * n + left + e % 16];
  }
  __syncthreads();
  int buffer = 0;
  for (int t = 0; t < n; t += 8) {
    if (t + 8 < n)
      for (int e = thread; e < 128; e += 64) {
        as[buffer ^ 1][e % 8][e / 8] = a[(top + e / 8) * n + t + 8 + e % 8];
        bs[buffer ^ 1][e / 16][e % 16] = b[(t + 8 + e / 16) * n + left + e % 16];
      }
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int s = 0; s < 2; ++s)
          sum[r][s] += as[buffer][j][ty * 2 + r] * bs[buffer][j][tx * 2 + s];
    buffer ^= 1;
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int s = 0; s < 2; ++s)
      c[(top + ty * 2 + r) * n + left + tx * 2 + s] = sum[r][s];
}

// Warps that share rows and columns of the block's tile: two of four read the same.
// bank: a in [n, 32] -1:1 | b in [n, 32] -1:1 | c out [32, 32] | n = 16 | @block 128,1 | @grid 1,1
KERNEL void product_of_warps [[kernix::block(128)]] (const T *a, const T *b, T *c, int n) {
  __shared__ T as[16][32], bs[16][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = warp / 2 * 16 + lane / 8 * 4, column = warp % 2 * 16 + lane % 8 * 2;
  for (int e = threadIdx.x; e < n * 32; e += 128)
    as[e / 32][e % 32] = a[e], bs[e / 32][e % 32] = b[e];
  __syncthreads();
  T sum[4][2] = {};
  for (int k = 0; k < 16; ++k)
    for (int r = 0; r < 4; ++r)
      for (int s = 0; s < 2; ++s)
        sum[r][s] += as[k][row + r] * bs[k][column + s];
  for (int r = 0; r < 4; ++r)
    for (int s = 0; s < 2; ++s)
      c[(row + r) * 32 + column + s] = sum[r][s] * sum[r][s];
}

// All threads read all elements; squares, so that what is read has to be there.
// bank: x in [n] -1:1 | w in [16] -1:1 | y out [n] | n = 128 | @block 64,1 | @grid 2,1
KERNEL void all_read_all [[kernix::block(64)]] (const T *x, const T *w, T *y, int n) {
  __shared__ T ws[16];
  if (threadIdx.x < 16)
    ws[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  T v = x[thread_index()], sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += ws[k] * ws[k] * v + ws[15 - k] * sin(v * T(k));
  y[thread_index()] = sum;
}

// Rows that overlap: the elements of a row's window are those of its neighbours', too.
// bank: x in [40] -1:1 | y out [n] | n = 256 | @block 8,32 | @grid 1,1
KERNEL void windows_of_rows [[kernix::block(8, 32)]] (const T *x, T *y, int n) {
  __shared__ T tile[40];
  int thread = threadIdx.y * 8 + threadIdx.x;
  if (thread < 40)
    tile[thread] = x[thread];
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += tile[threadIdx.y + k] * T(k + 1) * (T(1) + T(threadIdx.x));
  y[thread] = sum;
}

// Columns in another order for each row of the tile, so that banks do not collide.
// bank: a in [n, n] -1:1 | b in [n, n] -1:1 | c out [n, n] | n = 16 | @block 16,16 | @grid 1,1
KERNEL void swizzled_columns [[kernix::block(16, 16)]] (const T *a, const T *b, T *c, int n) {
  __shared__ T as[16][16], bs[16][16];
  int row = threadIdx.y, column = threadIdx.x;
  as[row][column ^ row] = a[row * n + column];
  bs[row][column] = b[row * n + column];
  __syncthreads();
  T sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k)
    sum += as[row][k ^ row] * bs[k][column ^ 5];
  c[row * n + column] = sum;
}

/// An element of each tile for each thread of a block of 16 x 16.
template <class T, class U> __device__ void stage(T (&as)[16][16], U (&bs)[16][16], const T *a, const U *b) {
  int row = threadIdx.y, column = threadIdx.x;
  as[row][column] = a[row * 16 + column];
  bs[row][column] = b[row * 16 + column];
  __syncthreads();
}

// Tiles of two precisions, in one loop.
// bank: a in [16, 16] -1:1 | b in f64 [16, 16] -1:1 | c out [16, 16] | @block 16,16 | @grid 1,1
KERNEL void tiles_of_two_types [[kernix::block(16, 16)]] (const T *a, const double *b, T *c) {
  __shared__ T as[16][16];
  __shared__ double bs[16][16];
  int row = threadIdx.y, column = threadIdx.x;
  stage(as, bs, a, b);
  double sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += double(as[row][k]) * bs[k][column];
  c[row * 16 + column] = T(sum);
}

// A tile that is changed between two products, and one read by rows and by its threads alike.
// bank: a in [16, 16] -1:1 | b in [16, 16] -1:1 | c out [16, 16] | @block 16,16 | @grid 1,1
KERNEL void product_of_a_product [[kernix::block(16, 16)]] (const T *a, const T *b, T *c) {
  __shared__ T as[16][16], bs[16][16];
  int row = threadIdx.y, column = threadIdx.x;
  stage(as, bs, a, b);
  T sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += as[row][k] * bs[k][column];
  __syncthreads();
  as[row][column] += sin(sum);
  __syncthreads();
  sum = as[column][row];
  for (int k = 0; k < 16; ++k)
    sum += as[row][k] * as[k][column] * bs[row][column];
  c[row * 16 + column] = sum;
}

// Of all threads, only some need the product, and those know it late.
// bank: a in [16, 16] -1:1 | b in [16, 16] -1:1 | c out [16, 16] | @block 16,16 | @grid 1,1
KERNEL void product_for_some [[kernix::block(16, 16)]] (const T *a, const T *b, T *c) {
  __shared__ T as[16][16], bs[16][16];
  int row = threadIdx.y, column = threadIdx.x;
  stage(as, bs, a, b);
  T sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += as[row][k] * bs[k][column];
  if (sum > T(0) && (row + column) % 3)
    for (int k = 0; k < 16; ++k)
      sum -= as[column][k] * bs[k][row] / T(4);
  c[row * 16 + column] = sum;
}

// Blocks of three axes.
// bank: a in [8, 16] -1:1 | b in [16, 8] -1:1 | c out [2, 8, 8] | @block 8,8,2 | @grid 1,1
KERNEL void product_of_three_axes [[kernix::block(8, 8, 2)]] (const T *a, const T *b, T *c) {
  __shared__ T as[8][16], bs[16][8];
  int thread = (threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x;
  as[thread / 16][thread % 16] = a[thread];
  bs[thread / 8][thread % 8] = b[thread];
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += as[threadIdx.y][k] * bs[k][threadIdx.x] * T(1 + threadIdx.z);
  c[thread] = sum;
}

// Pairs, of which the loop reads both halves; rows of 4 threads, 8 of which are a warp.
// bank: a in [8, 16] -1:1 | b in [8, 16] -1:1 | y out [32] | @block 4,8 | @grid 1,1
KERNEL void pairs_of_one_warp [[kernix::block(4, 8)]] (const T *a, const T *b, T *y) {
  struct Pair {
    T left, right;
  };
  __shared__ Pair tile[8][16];
  int thread = threadIdx.y * 4 + threadIdx.x;
  for (int k = thread; k < 128; k += 32)
    tile[k / 16][k % 16] = {a[k], b[k]};
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += tile[threadIdx.y][k].left * tile[threadIdx.x][15 - k].right;
  y[thread] = sum;
}

// Elements that the loop names, and others that the thread's data name, of one tile between the same barriers.
// bank: x in [64] -1:1 | i in i32 [128] 0:64 | y out [128] | @block 128,1 | @grid 1,1
KERNEL void named_and_found [[kernix::block(128)]] (const T *x, const int *i, T *y) {
  __shared__ T tile[64];
  int t = threadIdx.x;
  if (t < 64)
    tile[t] = x[t] * x[t];
  __syncthreads();
  T sum = tile[i[t]];
  for (int k = 0; k < 16; ++k)
    sum += tile[4 * k + t % 4] * T(t % 7) + tile[(i[t] + k) % 64] * tile[k];
  y[t] = sum * tile[63 - i[t]];
}

// Loads behind a condition that threads differ in, beside loads of all threads, in one loop; another array is written
// between them.
// bank: a in [16, 16] -1:1 | b in [16, 16] -1:1 | y out [16, 16] | @block 16,16 | @grid 1,1
KERNEL void some_of_all [[kernix::block(16, 16)]] (const T *a, const T *b, T *y) {
  __shared__ T as[16][16], bs[16][16], own[16][16];
  int row = threadIdx.y, column = threadIdx.x;
  stage(as, bs, a, b);
  T sum = 0;
  for (int k = 0; k < 16; ++k) {
    own[row][column] = as[row][k] * T(k + 1) / T(8);
    if ((row + column + k) % 3)
      sum += bs[k][column] * own[row][column];
    else
      sum += as[column][k] * bs[k][row];
  }
  y[row * 16 + column] = sum;
}

// How often the loop runs, and what it begins with, all threads know alike; it may end early for all.
// bank: a in [32, 16] -1:1 | b in [32, 16] -1:1 | limit in i32 [2] 9:30 | y out [2, 16, 16] | @block 16,16 | @grid 2,1
KERNEL void as_long_as_all_say [[kernix::block(16, 16)]] (const T *a, const T *b, const int *limit, T *y) {
  __shared__ T as[32][16], bs[32][16];
  __shared__ int end;
  int row = threadIdx.y, column = threadIdx.x;
  for (int k = row; k < 32; k += 16) {
    as[k][column] = a[k * 16 + column];
    bs[k][column] = b[k * 16 + column];
  }
  if (row == 0 && column == 0)
    end = limit[blockIdx.x];
  __syncthreads();
  T sum = 0;
  for (int k = blockIdx.x; k < 32; ++k) {
    if (k >= end)
      break;
#pragma unroll
    for (int s = 0; s < 4; ++s)
      sum += as[k][row] * bs[k][(column + s) & 15] * T(s + 1);
  }
  y[(blockIdx.x * 16 + row) * 16 + column] = sum;
}

// Numbers of threads without a sign, that wrap around; a block of many warps in one row.
// bank: x in [512] -1:1 | w in [16, 32] -1:1 | y out [512] | @block 512,1 | @grid 1,1
KERNEL void wrapping_numbers [[kernix::block(512)]] (const T *x, const T *w, T *y) {
  __shared__ T ws[16][32];
  unsigned t = threadIdx.x;
  ws[t / 32][t % 32] = w[t];
  __syncthreads();
  T v = x[t], sum = 0;
  for (unsigned k = 0; k < 16; ++k)
    sum += ws[((t >> 5) - 1u - k) & 15u][(k - t) & 31u] * v + ws[k][31u - (t & 31u)] * ws[k][~t & 31u];
  y[t] = sum;
}

// Sums with shuffles between the loads, and the same elements once more after a barrier.
// bank: a in [16, 32] -1:1 | y out [64] | @block 32,2 | @grid 1,1
KERNEL void around_a_shuffle [[kernix::block(32, 2)]] (const T *a, T *y) {
  __shared__ T as[16][32];
  int row = threadIdx.y, lane = threadIdx.x;
  for (int k = row; k < 16; k += 2)
    as[k][lane] = a[k * 32 + lane];
  __syncthreads();
  T sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum += as[k][lane] * as[k + 8][5];
  sum += __shfl_xor_sync(0xffffffff, sum, 3) * sum;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum -= as[k][lane] * as[2 * k + row][7];
  __syncthreads();
  for (int k = 0; k < 16; ++k)
    sum += as[k][row] / (T(2) + as[k][lane] * as[k][lane]);
  y[row * 32 + lane] = sum;
}

// Less than all numbers of the tile have a gradient, and only some of the threads' results count.
// bank: a in [16, 16] -1:1 | b in [16, 16] -1:1 nodiff | y out [4, 16] | @block 16,16 | @grid 1,1
KERNEL void some_results [[kernix::block(16, 16)]] (const T *a, const T *b, T *y) {
  __shared__ T as[16][16], bs[16][16];
  int row = threadIdx.y, column = threadIdx.x;
  stage(as, bs, a, b);
  T sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += as[row][k] * bs[k][column] + sin(as[k][column]) * bs[row][k];
  if (row % 4 == 1)
    y[row / 4 * 16 + column] = sum;
}

// A tile in place, step by step: each product reads what the last one wrote.
// bank: a in [16, 16] -1:1 | y out [16, 16] | @block 16,16 | @grid 1,1
ONCE_KERNEL void powers_in_place [[kernix::block(16, 16)]] (const T *a, T *y) {
  __shared__ T as[16][16];
  int row = threadIdx.y, column = threadIdx.x;
  as[row][column] = a[row * 16 + column] / T(4);
  __syncthreads();
  for (int step = 0; step < 3; ++step) {
    T sum = 0;
    for (int k = 0; k < 16; ++k)
      sum += as[row][k] * as[k][column];
    __syncthreads();
    as[row][column] = sum + T(step) / T(8);
    __syncthreads();
  }
  y[row * 16 + column] = as[row][column];
}

// -- sums that begin anew in each iteration ---------------------------------------------------------------------------

// bank: x in [m, 32] -1:1 | y out [32] | m = 5 | @block 32 | @grid 1
ONCE_KERNEL void added_up_in_rounds(const T *x, T *y, int m) {
  __shared__ T sum;
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  T v = 1;
  for (int k = 0; k < m; ++k) {
    if (t == 0)
      sum = 0;
    __syncthreads();
    atomicAdd(&sum, v * x[32 * k + t]);
    __syncthreads();
    v = v + sin(sum);
    __syncthreads();
  }
  y[t] = v;
}

// bank: x in [m, 32] -1:1 | y out [32] | m = 5 | @block 32 | @grid 1
ONCE_KERNEL void added_up_by_each(const T *x, T *y, int m) {
  __shared__ T sums[32];
  const int t = threadIdx.x;
  T v = 1;
  for (int k = 0; k < m; ++k) {
    sums[t] = x[32 * k];
    for (int j = 0; j < m; ++j)
      atomicAdd(&sums[t], v * x[32 * j + t]);
    __syncthreads();
    v = v + sin(sums[31 - t]);
    __syncthreads();
  }
  y[t] = v;
}
