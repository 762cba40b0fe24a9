// Rows and columns that a thread writes from the end, in parts, in pairs, or as a tile.
#include "bank.h"

// bank: x in [6, 8] -1:1 | y out [6, 8] | rows = 6 | cols = 8 | @block 8 | @grid 1
ONCE_KERNEL void rows_downwards_shared(const T *x, T *y, int rows, int cols) {
  __shared__ T line[8];
  int c = threadIdx.x;
  line[c] = 0;
  __syncthreads();
  for (int r = rows - 1; r >= 0; --r) {
    T v = x[r * cols + c] + T(0.5) * line[(c + 1) & 7];
    __syncthreads();
    line[c] = tanh(v);
    __syncthreads();
    y[r * cols + c] = line[7 - c];
  }
}

// bank: x in [5, 4] -1:1 | y out [5, 4] | T_ = 5 | n = 4
KERNEL void reverse_time_gae(const T *x, T *y, int T_, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T adv = 0;
  for (int t = T_ - 1; t >= 0; t--) {
    T d = x[t * n + i] - (t + 1 < T_ ? T(0.9) * x[(t + 1) * n + i] : T(0));
    adv = d + T(0.95) * adv;
    y[t * n + i] = adv;
  }
}

// bank: x in [6, 4] -1:1 | y out [12, 4] | m = 6 | n = 4
KERNEL void two_halves_of_output(const T *x, T *y, int m, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int t = 0; t < m; ++t) {
    s = s * T(0.5) + x[t * n + i] * x[t * n + i];
    y[t * n + i] = s;
  }
  for (int t = m - 1; t >= 0; --t) {
    s = s * T(0.7) + x[t * n + i];
    y[(m + t) * n + i] = s;
  }
}

// bank: x in [6, 4] -1:1 | y out [12, 4] | m = 6 | n = 4
KERNEL void interleaved_rows_two_each(const T *x, T *y, int m, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int t = 0; t < m; ++t) {
    s = s * T(0.5) + x[t * n + i] * x[t * n + i];
    y[(2 * t) * n + i] = s;
    y[(2 * t + 1) * n + i] = sin(s);
  }
}

// bank: x in [6, 6] -1:1 | y out [6, 6] | m = 6 | n = 6
KERNEL void triangle_rows_with_diagonal(const T *x, T *y, int m, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int j = 0; j < i; ++j)
    y[i * m + j] = x[i * m + j] * x[j * m + i];
  y[i * m + i] = exp(x[i * m + i]);
  for (int j = i + 1; j < m; ++j)
    y[i * m + j] = x[i * m + j] - x[j * m + i];
}

// bank: x in [6, 6] -1:1 | y out [6, 6] | m = 6 | n = 6
KERNEL void symmetric_pairs_writes(const T *x, T *y, int m, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int j = i; j < m; ++j) {
    T v = x[i * m + j] * x[j * m + i];
    y[i * m + j] = v;
    if (j != i)
      y[j * m + i] = v * T(0.5);
  }
}

// bank: x in [5, 8] -1:1 | y out [8, 5] | len = 8 | n = 5
KERNEL void countdown_by_two(const T *x, T *y, int len, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int t = len; t >= 2; t -= 2) {
    y[(t - 1) * n + i] = x[i * len + t - 1] * x[i * len + t - 2];
    y[(t - 2) * n + i] = x[i * len + t - 2];
  }
}

// bank: x in [8, 5] -1:1 | y out [8, 5] | m = 8 | n = 5
KERNEL void even_then_odd_rows(const T *x, T *y, int m, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int c = 0; c < 2; ++c)
    for (int t = c; t < m; t += 2)
      y[t * n + i] = x[t * n + i] * x[(t ^ 1) * n + i];
}

// bank: x in [n, 6] -1:1 | y out [n, 6] | n = 5
KERNEL void two_end_writes_palindrome(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int a = 0, b = 5; a < b; ++a, --b) {
    y[6 * i + a] = x[6 * i + a] * x[6 * i + b];
    y[6 * i + b] = x[6 * i + a] - x[6 * i + b];
  }
}

// bank: x in [22] -1:1 | y out [22] | n = 22 | @block 4 | @grid 1
KERNEL void grid_stride_vectors_then_tail(const T *x, T *y, int n) {
  int t = thread_index(), st = gridDim.x * blockDim.x, nv = n / 2;
  for (int i = t; i < nv; i += st) {
    T a = x[2 * i], b = x[2 * i + 1];
    y[2 * i] = a * b;
    y[2 * i + 1] = a - b * b;
  }
  if (t == 0 && (n & 1))
    y[n - 1] = x[n - 1];
}

// bank: x in [23] -1:1 | y out [23] | n = 23 | @block 4 | @grid 1
KERNEL void tail_by_first_threads(const T *x, T *y, int n) {
  int t = thread_index(), rem = n % 4, nv = n / 4;
  if (t < nv)
    for (int k = 0; k < 4; ++k)
      y[4 * t + k] = sin(x[4 * t + k]);
  for (int i = 4 * nv + t; i < n; i += blockDim.x * gridDim.x)
    y[i] = x[i] * x[i];
}

// bank: x in [22] -1:1 | y out [22] | n = 22 | @block 8 | @grid 1
KERNEL void vector_of_four_with_tail(const T *x, T *y, int n) {
  int i = thread_index() * 4;
  if (i + 3 < n) {
    T v[4];
    for (int k = 0; k < 4; ++k)
      v[k] = x[i + k];
    for (int k = 0; k < 4; ++k)
      y[i + k] = v[k] * v[3 - k];
  } else
    for (; i < n; ++i)
      y[i] = x[i] * x[i];
}

// bank: x in [24] -1:1 | y out [24] | n = 24 | @block 3 | @grid 2
KERNEL void block_strided_items(const T *x, T *y, int n) {
  int base = blockIdx.x * blockDim.x * 4 + threadIdx.x;
  T r[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    r[k] = base + k * blockDim.x < n ? x[base + k * blockDim.x] : T(0);
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (base + k * blockDim.x < n)
      y[base + k * blockDim.x] = r[k] * r[(k + 1) % 4];
}

// bank: x in [32] -1:1 | y out [128] | @block 32 | @grid 1
KERNEL void bits_tile_divisions(const T *x, T *y) {
  int t = threadIdx.x, tr = t / 4 * 2, tc = t % 4 * 2;
  for (int u = 0; u < 2; ++u)
    for (int v = 0; v < 2; ++v)
      y[(tr + u) * 8 + tc + v] = x[t] * x[t] * (u + v + 1);
}

// bank: x in [32] -1:1 | y out [128] | @block 32 | @grid 1
KERNEL void bits_tile_unsigned(const T *x, T *y) {
  unsigned t = threadIdx.x, tr = t / 4 * 2, tc = t % 4 * 2;
  for (unsigned u = 0; u < 2; ++u)
    for (unsigned v = 0; v < 2; ++v)
      y[((tr | u) << 3) + (tc | v)] = x[t] * x[t] * T(u + v + 1);
}

// bank: x in [32] -1:1 | y out [128] | @block 32 | @grid 1
KERNEL void bits_tile_loops(const T *x, T *y) {
  unsigned t = threadIdx.x, lane = t & 31, row = lane >> 2, col = (lane & 3) * 2;
  for (unsigned m = 0; m < 2; ++m) {
    y[(row + 8 * m) * 8 + col] = x[t] * m + x[t] * x[t];
    y[(row + 8 * m) * 8 + col + 1] = sin(x[t] + m);
  }
}

template <class T> struct SharedMem {
  __device__ operator T *() {
    extern __shared__ __align__(16) unsigned char raw[];
    return reinterpret_cast<T *>(raw);
  }
};

// bank: a in [8, 8] -1:1 | b in [8, 8] -1:1 | c out [8, 8] | @block 16 | @grid 1
ONCE_KERNEL void register_blocked_gemm(const T *a, const T *b, T *c) {
  __shared__ T As[8][8 + 1], Bs[8][8 + 1];
  int t = threadIdx.x, tr = t / 4 * 2, tc = t % 4 * 2;
  for (int k = t; k < 64; k += 16) {
    As[k / 8][k % 8] = a[k];
    Bs[k / 8][k % 8] = b[k];
  }
  __syncthreads();
  T acc[2][2] = {};
  for (int k = 0; k < 8; ++k) {
    T ra[2], rb[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      ra[u] = As[tr + u][k];
      rb[u] = Bs[k][tc + u];
    }
#pragma unroll
    for (int u = 0; u < 2; ++u)
#pragma unroll
      for (int v = 0; v < 2; ++v)
        acc[u][v] += ra[u] * rb[v];
  }
  for (int u = 0; u < 2; ++u)
    for (int v = 0; v < 2; ++v)
      c[(tr + u) * 8 + tc + v] = tanh(acc[u][v]);
}
