// Tiles in shared memory of which each thread reads its own element and others beside it.
#include "bank.h"

// Rows of the tile that are no warps; each thread has several elements to load, clamped at the borders.
// bank: x in [h, w] 0.5:1.5 | y out [h, w] | h = 21 | w = 19 | @block 12,10 | @grid 2,3
ONCE_KERNEL void clamped_halo_of_any_block(const T *x, T *y, int h, int w) {
  __shared__ T s[14 * 16];
  int W = blockDim.x + 2, H = blockDim.y + 2;
  int id = threadIdx.y * blockDim.x + threadIdx.x, count = blockDim.x * blockDim.y;
  for (int k = id; k < W * H; k += count) {
    int r = (int)(blockIdx.y * blockDim.y) + k / W - 1, c = (int)(blockIdx.x * blockDim.x) + k % W - 1;
    r = r < 0 ? 0 : r >= h ? h - 1 : r;
    c = c < 0 ? 0 : c >= w ? w - 1 : c;
    s[k] = x[r * w + c] * x[r * w + c];
  }
  __syncthreads();
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= h || c >= w)
    return;
  int p = (threadIdx.y + 1) * W + threadIdx.x + 1;
  y[r * w + c] = s[p] * 2 - s[p - 1] * s[p + 1] + sin(s[p - W]) * cos(s[p + W]) + s[p - W - 1];
}

// Loaded in rows of 32, read by threads counted another way.
// bank: x in [64, 32] 0.5:1.5 | y out [64, 32] | @block 32,8 | @grid 1,8
ONCE_KERNEL void tile_read_in_other_roles [[kernix::block(32, 8)]] (const T *x, T *y) {
  __shared__ T s[8][33];
  int id = threadIdx.y * 32 + threadIdx.x;
  int row0 = blockIdx.y * 8;
  s[threadIdx.y][threadIdx.x] = x[(row0 + threadIdx.y) * 32 + threadIdx.x];
  __syncthreads();
  int r = id / 4 % 8, c = id % 4 + id / 32 * 4;
  T a = s[r][c], b = s[(r + 1) % 8][c], d = s[r][(c + 1) % 32], e = s[7 - r][31 - c], f = s[r][c ^ 1];
  y[(row0 + r) * 32 + c] = a * b + d * e * f;
}

// bank: x in [d, d, d] 0.5:1.5 | y out [d, d, d] | d = 7 | @block 4,4,4 | @grid 2,2,2
ONCE_KERNEL void neighbours_in_three_dimensions(const T *x, T *y, int d) {
  __shared__ T s[6][6][6];
  int i = blockIdx.x * 4 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y, k = blockIdx.z * 4 + threadIdx.z;
  for (int a = threadIdx.z; a < 6; a += 4)
    for (int b = threadIdx.y; b < 6; b += 4)
      for (int c = threadIdx.x; c < 6; c += 4) {
        int z = blockIdx.z * 4 + a - 1, yy = blockIdx.y * 4 + b - 1, xx = blockIdx.x * 4 + c - 1;
        bool in = z >= 0 && z < d && yy >= 0 && yy < d && xx >= 0 && xx < d;
        s[a][b][c] = in ? x[(z * d + yy) * d + xx] : T(0);
      }
  __syncthreads();
  if (i < d && j < d && k < d) {
    int a = threadIdx.z + 1, b = threadIdx.y + 1, c = threadIdx.x + 1;
    T v = s[a][b][c];
    y[(k * d + j) * d + i] =
        v * (s[a - 1][b][c] + s[a + 1][b][c]) + s[a][b - 1][c] * s[a][b + 1][c] + exp(s[a][b][c - 1] - s[a][b][c + 1]);
  }
}

// bank: x in [n] 0.5:1.5 | y out [n] | n = 64 | @block 64 | @grid 1
ONCE_KERNEL void unsigned_neighbours_that_wrap(const T *x, T *y, int n) {
  __shared__ T s[64];
  unsigned t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  unsigned l = t - 1u, r = t + 1u;
  T a = l < 64u ? s[l] : T(0), b = r < 64u ? s[r] : T(0);
  y[t] = a * b + s[t] * s[63u - t] + s[(t * 5u + 3u) & 63u] + s[(t * 2u) % 64u];
}

// Half of a tile is of a tensor without a gradient.
// bank: x in [n] 0.5:1.5 | z in [n] 0.5:1.5 nodiff | y out [n] | n = 90 | @block 32 | @grid 3
ONCE_KERNEL void half_of_a_tile_is_constant(const T *x, [[kernix::no_diff]] const T *z, T *y, int n) {
  __shared__ T s[2 * 34];
  int i = blockIdx.x * 32 + threadIdx.x, t = threadIdx.x;
  s[t + 1] = i < n ? x[i] : T(0);
  s[34 + t + 1] = i < n ? z[i] : T(0);
  if (t < 2) {
    s[t * 33] = T(1);
    s[34 + t * 33] = T(1);
  }
  __syncthreads();
  if (i < n)
    y[i] = s[t] * s[34 + t] + s[t + 1] * s[35 + t] + s[t + 2] * s[36 + t] + s[t] * s[t + 2];
}

// Which neighbours are read depends on what was read before; threads return on two ways.
// bank: x in [h, w] 0.5:1.5 | y out [h, w] | h = 20 | w = 37 | @block 32,8 | @grid 2,3
ONCE_KERNEL void neighbours_behind_conditions [[kernix::block(32, 8)]] (const T *x, T *y, int h, int w) {
  __shared__ T s[10][34];
  int c0 = blockIdx.x * 32 - 1, r0 = blockIdx.y * 8 - 1, id = threadIdx.y * 32 + threadIdx.x;
  for (int k = id; k < 340; k += 256) {
    int r = r0 + k / 34, c = c0 + k % 34;
    s[k / 34][k % 34] = r >= 0 && r < h && c >= 0 && c < w ? x[r * w + c] : T(0);
  }
  __syncthreads();
  int r = r0 + 1 + threadIdx.y, c = c0 + 1 + threadIdx.x;
  if (r >= h || c >= w)
    return;
  int a = threadIdx.y + 1, b = threadIdx.x + 1;
  T v = s[a][b], sum = v;
  if (v > T(0.8))
    sum += s[a][b - 1] * v;
  if (c % 3)
    sum += s[a][b + 1] * s[a - 1][b];
  else
    sum -= s[a + 1][b] * T(3);
  if (sum > T(3)) {
    y[r * w + c] = sum * s[a - 1][b - 1];
    return;
  }
  y[r * w + c] = sum * s[a + 1][b + 1] + s[a + 1][b - 1];
}

// Each thread has coefficients of its own.
// bank: x in [n] 0.5:1.5 | k in [n, 5] 0.5:1.5 | y out [n] | n = 100 | @block 64 | @grid 2
ONCE_KERNEL void coefficients_of_each_thread [[kernix::block(64)]] (const T *x, const T *k, T *y, int n) {
  __shared__ T s[68];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  for (int j = t; j < 68; j += 64) {
    int at = (int)blockIdx.x * 64 + j - 2;
    s[j] = at >= 0 && at < n ? x[at] : T(1);
  }
  __syncthreads();
  if (i >= n)
    return;
  T sum = 0;
#pragma unroll
  for (int j = 0; j < 5; ++j)
    sum += k[i * 5 + j] * s[t + j];
  y[i] = sum * sum;
}

// threadIdx.y counts fastest.
// bank: x in [24, 24] 0.5:1.5 | y out [24, 24] | @block 8,8 | @grid 3,3
ONCE_KERNEL void tile_by_columns [[kernix::block(8, 8)]] (const T *x, T *y) {
  __shared__ T s[10 * 10];
  int tx = threadIdx.x, ty = threadIdx.y;
  for (int k = tx * 8 + ty; k < 100; k += 64) {
    int c = (int)blockIdx.x * 8 + k / 10 - 1, r = (int)blockIdx.y * 8 + k % 10 - 1;
    s[k] = r >= 0 && r < 24 && c >= 0 && c < 24 ? x[r * 24 + c] : T(0.5);
  }
  __syncthreads();
  int p = (tx + 1) * 10 + ty + 1;
  T m = s[p];
  y[(blockIdx.y * 8 + ty) * 24 + blockIdx.x * 8 + tx] =
      m * m + s[p - 1] * s[p + 1] + s[p - 10] * s[p + 10] + s[p - 11] * s[p + 11] - s[p - 9] / s[p + 9];
}

// In blocks of another shape than the source says.
// bank: x in [n] 0.5:1.5 | y out [n] | n = 128 | @block 16,4 | @grid 2
ONCE_KERNEL void counted_in_another_block [[kernix::block(8, 8)]] (const T *x, T *y, int n) {
  __shared__ T s[66];
  int t = threadIdx.y * blockDim.x + threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 1] = x[i];
  if (t < 2)
    s[t * 65] = T(1);
  __syncthreads();
  y[i] = s[t] * s[t + 2] + s[t + 1] * s[t + 1] + s[t + 1] * s[t] + s[64 - t];
}

// Several threads of the block read one element, along diagonals.
// bank: x in [40] 0.5:1.5 | y out [8, 16] | @block 16,8 | @grid 1
ONCE_KERNEL void read_along_diagonals [[kernix::block(16, 8)]] (const T *x, T *y) {
  __shared__ T s[40];
  int tx = threadIdx.x, ty = threadIdx.y;
  if (ty < 3 && ty * 16 + tx < 40)
    s[ty * 16 + tx] = x[ty * 16 + tx];
  __syncthreads();
  y[ty * 16 + tx] =
      s[tx + ty] * s[tx + ty + 1] + s[tx + 2 * ty] * s[tx + 2 * ty + 2] + s[tx * 2 + ty] + s[39 - tx - ty];
}

// A number of threads that is no multiple of what it is taken modulo.
// bank: x in [50] 0.5:1.5 | y out [64] | @block 64 | @grid 1
ONCE_KERNEL void rotated_by_remainders(const T *x, T *y) {
  __shared__ T s[50];
  int t = threadIdx.x;
  if (t < 50)
    s[t] = x[t];
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < 6; ++k)
    sum += s[(t + k * 7) % 50] * s[(t * 3 + k) % 50];
  y[t] = sum;
}

// bank: x in [128] 0.5:1.5 | y out [128] | @block 128 | @grid 1
ONCE_KERNEL void rows_by_bits_of_the_number(const T *x, T *y) {
  __shared__ T s[6][34];
  int t = threadIdx.x, l = t & 31, w = t >> 5;
  for (int k = t; k < 204; k += 128)
    s[k / 34][k % 34] = x[k % 128] * T(k % 3 + 1);
  __syncthreads();
  T v = s[w + 1][l + 1];
  y[t] = v * s[w][l + 1] + s[w + 2][l + 1] * s[w + 1][l] + s[w + 1][l + 2] / v + s[w][l] * s[w + 2][l + 2];
}

// bank: x in [10, 10, 18] 0.5:1.5 | y out [8, 8, 16] | @block 8,4,4 | @grid 2,2,2
ONCE_KERNEL void cube_of_neighbours [[kernix::block(8, 4, 4)]] (const T *x, T *y) {
  __shared__ T s[6][6][10];
  int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  int id = (tz * 4 + ty) * 8 + tx;
  for (int k = id; k < 360; k += 128) {
    int a = k / 60, b = k / 10 % 6, c = k % 10;
    s[a][b][c] = x[((blockIdx.z * 4 + a) * 10 + blockIdx.y * 4 + b) * 18 + blockIdx.x * 8 + c];
  }
  __syncthreads();
  T sum = 0, prod = 1;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 3; ++c) {
        T v = s[tz + a][ty + b][tx + c];
        sum += v * v * T(a + 2 * b + 3 * c);
        if ((a + b + c) % 5 == 0)
          prod *= v;
      }
  y[((blockIdx.z * 4 + tz) * 8 + blockIdx.y * 4 + ty) * 16 + blockIdx.x * 8 + tx] = sum * prod;
}

// Threads leave the window at different times and pass over some of it.
// bank: x in [n] 0.5:1.5 | y out [n] | n = 128 | @block 64 | @grid 2
ONCE_KERNEL void window_left_by_values [[kernix::block(64)]] (const T *x, T *y, int n) {
  __shared__ T s[72];
  int t = threadIdx.x, b = blockIdx.x * 64;
  for (int k = t; k < 72; k += 64)
    s[k] = x[(b + k) % n];
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < 9; ++k) {
    T v = s[t + k];
    sum += v * v;
    if (sum > T(5))
      break;
    if (k % 2)
      continue;
    sum *= s[t + 8 - k];
  }
  y[b + t] = sum;
}

// bank: x in [n] 0.5:1.5 | y out [n] | n = 256 | @block 64 | @grid 1
ONCE_KERNEL void four_elements_beside_each_other [[kernix::block(64)]] (const T *x, T *y, int n) {
  __shared__ T s[260];
  int t = threadIdx.x;
  for (int k = t; k < 260; k += 64)
    s[k] = k < 256 ? x[k] * x[k] : T(1);
  __syncthreads();
  T v[8];
  for (int k = 0; k < 8; ++k)
    v[k] = s[4 * t + k < 260 ? 4 * t + k : 259];
  for (int k = 0; k < 4; ++k)
    y[4 * t + k] = v[k] * v[k + 1] + v[k + 4] * v[7 - k];
}
