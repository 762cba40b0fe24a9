// Tiles in shared memory: stage, wait, read; stencils, transposes, products.
#include "bank.h"

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void neighbour_in_tile(const T *x, T *y, int n) {
  __shared__ T tile[32];
  int i = thread_index(), t = threadIdx.x;
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[t] * tile[(t + 1) % 32];
}

// bank: x in [n] -1:1 | y out [n] | n = 50
KERNEL void guarded_tile(const T *x, T *y, int n) {
  __shared__ T tile[32];
  int i = thread_index(), t = threadIdx.x;
  tile[t] = i < n ? x[i] * x[i] : T(0);
  __syncthreads();
  if (i < n)
    y[i] = sin(tile[t]) + tile[31 - t] * tile[t];
}

// bank: x in [n] -1:1 | w in [3] -1:1 | y out [n] | n = 64
KERNEL void stencil_with_halo(const T *x, const T *w, T *y, int n) {
  __shared__ T tile[34];
  int i = thread_index(), t = threadIdx.x;
  tile[t + 1] = i < n ? x[i] : T(0);
  if (t == 0)
    tile[0] = i > 0 ? x[i - 1] : T(0);
  if (t == 31)
    tile[33] = i + 1 < n ? x[i + 1] : T(0);
  __syncthreads();
  if (i < n)
    y[i] = w[0] * tile[t] + w[1] * tile[t + 1] + w[2] * tile[t + 2] * tile[t + 1];
}

// bank: x in [n] -1:1 | w in [5] -1:1 | y out [n] | n = 64
KERNEL void stencil_loop_over_window(const T *x, const T *w, T *y, int n) {
  __shared__ T tile[36];
  int first = blockIdx.x * 32 - 2;
  for (int k = threadIdx.x; k < 36; k += blockDim.x)
    tile[k] = first + k >= 0 && first + k < n ? x[first + k] : T(0);
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < 5; ++k)
    sum += w[k] * tile[threadIdx.x + k] * tile[threadIdx.x + k];
  y[thread_index()] = sum;
}

// bank: x in [n] -1:1 | w in [width] -1:1 | y out [n] | n = 64 | width = 9
KERNEL void stencil_of_any_width(const T *x, const T *w, T *y, int n, int width) {
  __shared__ T tile[64];
  int r = width / 2, first = blockIdx.x * blockDim.x - r;
  for (int k = threadIdx.x; k < blockDim.x + 2 * r; k += blockDim.x)
    tile[k] = first + k >= 0 && first + k < n ? x[first + k] : T(0);
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < width; ++k)
    sum += w[k] * sin(tile[threadIdx.x + k]);
  y[thread_index()] = sum;
}

// bank: x in [16, 16] -1:1 | y out [16, 16] | @block 8,8 | @grid 2,2
KERNEL void transpose(const T *x, T *y) {
  __shared__ T tile[8][9];
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = x[row * 16 + column];
  __syncthreads();
  y[(blockIdx.x * 8 + threadIdx.y) * 16 + blockIdx.y * 8 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// bank: x in [16, 16] -1:1 | y out [16, 16] | @block 8,8 | @grid 2,2
KERNEL void box_blur(const T *x, T *y) {
  __shared__ T tile[10][10];
  int row = blockIdx.y * 8, column = blockIdx.x * 8;
  for (int k = threadIdx.y * 8 + threadIdx.x; k < 100; k += 64) {
    int r = row + k / 10 - 1, c = column + k % 10 - 1;
    tile[k / 10][k % 10] = r >= 0 && r < 16 && c >= 0 && c < 16 ? x[r * 16 + c] : T(0);
  }
  __syncthreads();
  T sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx)
      sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  y[(row + threadIdx.y) * 16 + column + threadIdx.x] = sum * sum / 9;
}

// bank: a in [m, k] -1:1 | b in [k, n] -1:1 | c out [m, n] | m = 16 | n = 16 | k = 24 | @block 8,8 | @grid 2,2
KERNEL void matmul_tiles(const T *a, const T *b, T *c, int m, int n, int k) {
  __shared__ T as[8][8], bs[8][8];
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  T sum = 0;
  for (int t = 0; t < k; t += 8) {
    as[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int j = 0; j < 8; ++j)
      sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// bank: a in [m, k] -1:1 | b in [k, n] -1:1 | c out [m, n] | m = 13 | n = 11 | k = 19 | @block 8,8 | @grid 2,2
KERNEL void matmul_any_size(const T *a, const T *b, T *c, int m, int n, int k) {
  __shared__ T as[8][8], bs[8][8];
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  T sum = 0;
  for (int t = 0; t < (k + 7) / 8; ++t) {
    int ka = t * 8 + threadIdx.x, kb = t * 8 + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : T(0);
    bs[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : T(0);
    __syncthreads();
    for (int j = 0; j < 8; ++j)
      sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

// bank: a in [m, k] -1:1 | b in [k, n] -1:1 | c out [m, n] | m = 16 | n = 16 | k = 16 | @block 8,8 | @grid 2,2
ONCE_KERNEL void matmul_nonlinear(const T *a, const T *b, T *c, int m, int n, int k) {
  __shared__ T as[8][8], bs[8][8];
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  T product = 1;
  for (int t = 0; t < k; t += 8) {
    as[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int j = 0; j < 8; ++j)
      product = sin(product + as[threadIdx.y][j] * bs[j][threadIdx.x]);
    __syncthreads();
  }
  c[row * n + column] = product;
}

// Each of the two buffers is filled while the other one is read.
// bank: x in [n, m] -1:1 | y out [n] | n = 32 | m = 6 | @block 32 | @grid 1
ONCE_KERNEL void double_buffer(const T *x, T *y, int n, int m) {
  __shared__ T buffer[2][32];
  int t = threadIdx.x;
  buffer[0][t] = x[t * m];
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < m; ++k) {
    if (k + 1 < m)
      buffer[(k + 1) & 1][t] = x[t * m + k + 1];
    sum += buffer[k & 1][(t + k) % 32] * buffer[k & 1][31 - t];
    __syncthreads();
  }
  y[t] = sum;
}

// bank: x in [n, 2] -1:1 | m in [n] 0:1 | f out [n] | n = 48 | @block 16 | @grid 3
KERNEL void bodies_by_tiles(const T *x, const T *m, T *f, int n) {
  __shared__ T px[16], py[16], pm[16];
  int i = thread_index();
  T force = 0;
  for (int tile = 0; tile < n / 16; ++tile) {
    int j = tile * 16 + threadIdx.x;
    px[threadIdx.x] = x[2 * j];
    py[threadIdx.x] = x[2 * j + 1];
    pm[threadIdx.x] = m[j];
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      T dx = px[k] - x[2 * i], dy = py[k] - x[2 * i + 1];
      force += pm[k] / (dx * dx + dy * dy + T(0.1));
    }
    __syncthreads();
  }
  f[i] = force;
}

// The last tile is not full, and what is left in the others is not read.
// bank: x in [n] -1:1 | f out [n] | n = 40 | @block 16 | @grid 3
ONCE_KERNEL void partial_last_tile(const T *x, T *f, int n) {
  __shared__ T tile[16];
  int i = thread_index();
  T sum = 0;
  for (int first = 0; first < n; first += 16) {
    if (first + int(threadIdx.x) < n)
      tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 16 && first + k < n; ++k)
      sum += sin(tile[k] * (i < n ? x[i] : T(0)));
    __syncthreads();
  }
  if (i < n)
    f[i] = sum;
}

// bank: x in [n] -1:1 | y out [n] | n = 32 | @block 32 | @grid 1
KERNEL void two_phases(const T *x, T *y, int n) {
  __shared__ T first[32], second[32];
  int t = threadIdx.x;
  first[t] = x[t] * x[t];
  __syncthreads();
  second[t] = first[(t + 1) % 32] * first[t];
  __syncthreads();
  y[t] = second[(t + 31) % 32] + second[t] * first[t];
}

// bank: x in [n] -1:1 | y out [n] | n = 32 | @block 32 | @grid 1
KERNEL void rewritten_array(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  T a = s[(t + 3) % 32];
  __syncthreads();
  s[t] = a * a;
  __syncthreads();
  T b = s[(t + 5) % 32];
  __syncthreads();
  s[t] = a * b;
  __syncthreads();
  y[t] = s[31 - t] * b;
}

// Heat in place: every step overwrites what its own adjoint needs.
// bank: x in [n] 0:1 | y out [n] | n = 32 | steps = 5 | @block 32 | @grid 1
ONCE_KERNEL void nonlinear_heat(const T *x, T *y, int n, int steps) {
  __shared__ T u[34];
  int t = threadIdx.x;
  if (t == 0)
    u[0] = u[33] = 0;
  u[t + 1] = x[t];
  __syncthreads();
  for (int k = 0; k < steps; ++k) {
    T next = u[t + 1] + T(0.1) * (u[t] - 2 * u[t + 1] * u[t + 1] + u[t + 2]);
    __syncthreads();
    u[t + 1] = next;
    __syncthreads();
  }
  y[t] = u[t + 1];
}

// bank: x in [n] 0:1 | y out [n] | n = 32 | steps = 4 | @block 32 | @grid 1
KERNEL void linear_heat(const T *x, T *y, int n, int steps) {
  __shared__ T u[34];
  int t = threadIdx.x;
  if (t == 0)
    u[0] = u[33] = 0;
  u[t + 1] = x[t];
  __syncthreads();
  for (int k = 0; k < steps; ++k) {
    T next = u[t + 1] + T(0.1) * (u[t] - 2 * u[t + 1] + u[t + 2]);
    __syncthreads();
    u[t + 1] = next;
    __syncthreads();
  }
  y[t] = u[t + 1] * u[t + 1];
}

// bank: x in [16, 16] 0:1 | z in [16, 16] 0:1 | y out [16, 16] | @block 8,8 | @grid 2,2
KERNEL void similarity_window(const T *x, const T *z, T *y) {
  __shared__ T a[12][12], b[12][12];
  int row = blockIdx.y * 8, column = blockIdx.x * 8;
  for (int k = threadIdx.y * 8 + threadIdx.x; k < 144; k += 64) {
    int r = row + k / 12 - 2, c = column + k % 12 - 2;
    bool inside = r >= 0 && r < 16 && c >= 0 && c < 16;
    a[k / 12][k % 12] = inside ? x[r * 16 + c] : T(0);
    b[k / 12][k % 12] = inside ? z[r * 16 + c] : T(0);
  }
  __syncthreads();
  T ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
  for (int dy = 0; dy < 5; ++dy)
    for (int dx = 0; dx < 5; ++dx) {
      T u = a[threadIdx.y + dy][threadIdx.x + dx], v = b[threadIdx.y + dy][threadIdx.x + dx];
      ma += u / 25;
      mb += v / 25;
      aa += u * u / 25;
      bb += v * v / 25;
      ab += u * v / 25;
    }
  T va = aa - ma * ma, vb = bb - mb * mb, cov = ab - ma * mb;
  y[(row + threadIdx.y) * 16 + column + threadIdx.x] =
      (2 * ma * mb + T(0.01)) * (2 * cov + T(0.03)) / ((ma * ma + mb * mb + T(0.01)) * (va + vb + T(0.03)));
}

struct Point {
  float x, y;
};

// bank: x in [n, 2] -1:1 | y out [n] | n = 32 | @block 32 | @grid 1 | @types f32 | @tol 1e-2
PLAIN_KERNEL void tile_of_structs(const float *x, float *y, int n) {
  __shared__ Point points[32];
  int t = threadIdx.x;
  points[t].x = x[2 * t];
  points[t].y = x[2 * t + 1] * x[2 * t];
  __syncthreads();
  Point p = points[31 - t];
  y[t] = p.x * points[t].y + p.y;
}

// bank: x in [n] -1:1 | at in i32 [n] 0:32 | y out [n] | n = 32 | @block 32 | @grid 1
KERNEL void gather_in_tile(const T *x, const int *at, T *y, int n) {
  __shared__ T s[32];
  __shared__ int where[32];
  int t = threadIdx.x;
  s[t] = x[t] * x[t];
  where[t] = at[t];
  __syncthreads();
  y[t] = s[where[31 - t]] * s[where[t]];
}

// bank: x in [n] -1:1 | at in perm [n] | y out [n] | n = 32 | @block 32 | @grid 1
ONCE_KERNEL void scatter_in_tile(const T *x, const int *at, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[at[t]] = exp(x[t]);
  __syncthreads();
  y[t] = s[t] * x[t];
}

// bank: x in [n] -1:1 | y out [n] | n = 50
ONCE_KERNEL void early_return_of_threads(const T *x, T *y, int n) {
  __shared__ T s[32];
  int i = thread_index(), t = threadIdx.x;
  if (i >= n)
    return;
  s[t] = x[i] * x[i];
  __syncthreads();
  y[i] = s[t] + s[0] * x[i];
}

// bank: x in [n] -1:1 | on in i32 [n] 0:2 | y out [n] | n = 64
KERNEL void late_return(const T *x, const int *on, T *y, int n) {
  __shared__ T s[32];
  int i = thread_index(), t = threadIdx.x;
  s[t] = x[i];
  __syncthreads();
  if (!on[i])
    return;
  y[i] = s[t] * s[31 - t];
}

// bank: x in [n] -1:1 | y out [n] | n = 32 | twice = 1 | @block 32 | @grid 1
KERNEL void uniform_branch(const T *x, T *y, int n, int twice) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  T v = s[31 - t];
  if (twice) {
    __syncthreads();
    s[t] = v * v;
    __syncthreads();
    v = s[(t + 1) % 32];
  }
  y[t] = v * x[t];
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 8 | @grid 1
KERNEL void several_elements_per_thread(const T *x, T *y, int n) {
  __shared__ T s[64];
  for (int k = threadIdx.x; k < n; k += blockDim.x)
    s[k] = x[k] * T(0.5);
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += blockDim.x)
    y[k] = s[k] * s[n - 1 - k];
}

// bank: x in [n] -1:1 | y out [n] | n = 32 | @block 32 | @grid 1
KERNEL void one_shared_number(const T *x, T *y, int n) {
  __shared__ T scale;
  if (threadIdx.x == 0)
    scale = x[0] * x[1];
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x] * scale;
}

// Staged by one of two stores: every iteration stores all elements that it reads.
// bank: a in [m, k] -1:1 | b in [k, n] -1:1 | c out [m, n] | m = 13 | n = 11 | k = 19 | @block 8,8 | @grid 2,2
KERNEL void matmul_with_else(const T *a, const T *b, T *c, int m, int n, int k) {
  __shared__ T as[8][8], bs[8][8];
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  T sum = 0;
  for (int t = 0; t < k; t += 8) {
    if (row < m && t + int(threadIdx.x) < k)
      as[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
    else
      as[threadIdx.y][threadIdx.x] = 0;
    if (t + int(threadIdx.y) < k && column < n)
      bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    else
      bs[threadIdx.y][threadIdx.x] = 0;
    __syncthreads();
    for (int j = 0; j < 8; ++j)
      sum += as[threadIdx.y][j] * sin(bs[j][threadIdx.x]);
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

// The tile of one iteration is read in the next one.
// bank: x in [n, m] -1:1 | y out [n] | n = 16 | m = 5 | @block 16 | @grid 1
ONCE_KERNEL void read_in_next_iteration(const T *x, T *y, int n, int m) {
  __shared__ T s[16];
  int t = threadIdx.x;
  s[t] = x[t * m];
  __syncthreads();
  T v = x[t * m];
  for (int k = 1; k < m; ++k) {
    v = v * s[15 - t] + x[t * m + k];
    __syncthreads();
    s[t] = sin(v);
    __syncthreads();
  }
  y[t] = v + s[(t + 1) % 16];
}

// Two loops over tiles use one array, one after the other.
// bank: x in [n] -1:1 | z in [n] -1:1 | y out [16] | n = 48 | @block 16 | @grid 1
ONCE_KERNEL void two_loops_over_tiles(const T *x, const T *z, T *y, int n) {
  __shared__ T s[16];
  int t = threadIdx.x;
  T sum = 0, product = 1;
  for (int first = 0; first < n; first += 16) {
    s[t] = x[first + t];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum += s[k] * s[(k + t) % 16];
    __syncthreads();
  }
  for (int first = 0; first < n; first += 16) {
    s[t] = z[first + t];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      product = product * T(0.5) + s[k] * sum * s[15 - t];
    __syncthreads();
  }
  y[t] = product;
}

// Tiles within tiles.
// bank: x in [n] -1:1 | z in [n] -1:1 | y out [8] | n = 24 | @block 8 | @grid 1
ONCE_KERNEL void tiles_of_two_tensors(const T *x, const T *z, T *y, int n) {
  __shared__ T a[8], b[8];
  int t = threadIdx.x;
  T sum = 0;
  for (int i = 0; i < n; i += 8) {
    a[t] = x[i + t] * x[i + t];
    for (int j = 0; j < n; j += 8) {
      b[t] = z[j + t];
      __syncthreads();
      for (int k = 0; k < 8; ++k)
        sum += sin(a[(t + k) % 8] * b[k]);
      __syncthreads();
    }
  }
  y[t] = sum;
}

// The number of iterations comes from shared memory.
// bank: x in [n] -1:1 | steps in i32 [1] 3:5 | y out [n] | n = 16 | @block 16 | @grid 1
ONCE_KERNEL void count_from_shared_memory(const T *x, const int *steps, T *y, int n) {
  __shared__ T s[16];
  __shared__ int count;
  int t = threadIdx.x;
  if (t == 0)
    count = steps[0];
  s[t] = x[t];
  __syncthreads();
  for (int k = 0; k < count; ++k) {
    T v = s[(t + k) % 16] * x[t];
    __syncthreads();
    s[t] = v + T(0.5) * s[t];
    __syncthreads();
  }
  y[t] = s[t];
}

// A product of matrices that several threads of a block share: what is read is read by many.
// bank: a in [m, k] -1:1 | w in [k, n] -1:1 | c out [m, n] | m = 8 | n = 8 | k = 8 | @block 8,8 | @grid 1
KERNEL void two_layers(const T *a, const T *w, T *c, int m, int n, int k) {
  __shared__ T hidden[8][8], weights[8][8];
  int i = threadIdx.y, j = threadIdx.x;
  weights[i][j] = w[i * n + j];
  __syncthreads();
  T sum = 0;
  for (int l = 0; l < k; ++l)
    sum += a[i * k + l] * weights[l][j];
  hidden[i][j] = tanh(sum);
  __syncthreads();
  sum = 0;
  for (int l = 0; l < k; ++l)
    sum += hidden[i][l] * weights[j][l];
  c[i * n + j] = sum;
}

// A block that takes every gridDim.x-th row; the extent of the grid is read in the loop, between barriers.
// bank: x in [rows,32] -1:1 | y out [rows,32] | rows = 7 | @block 32 | @grid 3
KERNEL void rows_of_a_block_in_turn(const T *x, T *y, int rows) {
  __shared__ T row_of_block[32];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const T v = x[row * 32 + threadIdx.x];
    row_of_block[threadIdx.x] = v;
    __syncthreads();
    y[row * 32 + threadIdx.x] = v * sin(row_of_block[31 - threadIdx.x]);
    __syncthreads();
  }
}

// bank: x in [rows,32] -1:1 | y out [rows,32] | rows = 7 | @block 32 | @grid 2
KERNEL void four_rows_of_a_block(const T *x, T *y, int rows) {
  __shared__ T row_of_block[32];
  for (int k = 0; k < 4; ++k) {
    const int row = blockIdx.x * 4 + k;
    if (row >= rows)
      break;
    const T v = x[row * 32 + threadIdx.x];
    row_of_block[threadIdx.x] = v;
    __syncthreads();
    y[row * 32 + threadIdx.x] = v * cos(row_of_block[31 - threadIdx.x]);
    __syncthreads();
  }
}
