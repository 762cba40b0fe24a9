// Indices of narrow types, divided, masked, clamped and counted down; elements that threads share.
#include "bank.h"

// bank: x in [16] -1:1 | w in [n] -1:1 | y out [n] | n = 77
ONCE_KERNEL void byte_index_wraps(const T *x, const T *w, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned char k = static_cast<unsigned char>(i * 16);
  y[i] = x[k / 16] * w[i] * x[static_cast<unsigned char>(i * 37) >> 4];
}

// bank: x in [256] -1:1 | w in [n] -1:1 | y out [n] | n = 300
ONCE_KERNEL void byte_index_direct(const T *x, const T *w, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned char k = i;
  signed char s = i;
  y[i] = x[k] * w[i] + x[128 + s] * x[k];
}

// bank: x in [350] -1:1 | y out [n] | n = 700
ONCE_KERNEL void half_index(const T *x, T *y, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i / 2] * x[i >> 1] * T(i % 2 ? 1 : 2);
}

// bank: x in [10] -1:1 | y out [n] | n = 70
ONCE_KERNEL void signed_modulo_of_negative(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int k = (i - 40) % 10;
    y[i] = sin(x[k < 0 ? k + 10 : k]) * x[(k * k) % 10];
  }
}

// bank: x in [n] -1:1 | y out [n] | n = 71
ONCE_KERNEL void clamped_neighbours(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T s = 0;
  for (int d = -3; d <= 3; ++d)
    s += x[min(max(i + d, 0), n - 1)] * T(d + 4);
  y[i] = s * s;
}

// bank: x in [n] -1:1 | y out [n] | n = 71
ONCE_KERNEL void reflected_neighbours(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int l = abs(i - 2), r = i + 2;
  if (r >= n)
    r = 2 * n - 2 - r;
  y[i] = x[l] * x[r] * x[i];
}

// bank: x in [n] -1:1 | y out [n] | n = 90
ONCE_KERNEL void reversed_pointer(const T *x, T *y, int n) {
  const T *end = x + n - 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = end[-i] * end[-i] + *(end - (i / 3));
}

// bank: x in [n] -1:1 | y out [n] | n = 90 | @block 32 | @grid 2
ONCE_KERNEL void grid_stride_downwards(const T *x, T *y, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = n - 1 - (blockIdx.x * blockDim.x + threadIdx.x); i >= 0; i -= step)
    y[i] = x[i] * x[i] * x[n - 1 - i];
}

// bank: x in [n] -1:1 | y out [n] | n = 91 | @block 32 | @grid 2
ONCE_KERNEL void grid_stride_64(const T *x, T *y, long long n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    y[i] = exp(x[i]) * x[i];
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 32 | @grid 2
ONCE_KERNEL void block_major(const T *x, T *y, int n) {
  int i = threadIdx.x * gridDim.x + blockIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] + cos(x[i]);
}

// bank: x in [n] -1:1 | at in i32 [n] 0:9 | y out [n] | n = 77
ONCE_KERNEL void hash_index(const T *x, const int *at, T *y, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned h = i * 2654435761u ^ (at[i] * 805459861u);
  h ^= h >> 13;
  y[i] = x[h % n] * x[(h >> 7) % n] + x[h & 63];
}

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void xor_index(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i ^ 1] * x[i ^ 5] + x[i & ~3] + x[i | 2];
}

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void bit_reversed(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[__brev(i) >> 26] * x[__popc(i)] * x[31 - __clz(i | 1)];
}

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void through_short(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    short k = static_cast<short>(i * 1024); // wraps at 64
    y[i] = x[(k / 1024 + 32) % 64] * x[i];
  }
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
ONCE_KERNEL void flat_thread_of_block(const T *x, T *y, int n) {
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int total = blockDim.x * blockDim.y * blockDim.z;
  int b = blockIdx.x + gridDim.x * blockIdx.y;
  for (int i = b * total + t; i < n; i += total * gridDim.x * gridDim.y)
    y[i] = x[i] * x[i] * x[i];
}

// bank: x in [m, n] -1:1 | y out [n] | n = 50 | m = 6 | @block 64 | @grid 1
ONCE_KERNEL void columns_summed(const T *x, T *y, int n, int m) {
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < n; c += blockDim.x * gridDim.x) {
    T s = 0, p = 1;
    for (int r = 0; r < m; ++r) {
      s += x[r * n + c];
      p *= x[r * n + c] + 2;
    }
    y[c] = s * p;
  }
}

// The same element as input of several threads through blocks of columns.
// bank: a in [m, k] -1:1 | b in [k, n] -1:1 | y out [m, n] | m = 11 | n = 9 | k = 13 | @block 16,16 | @grid 1
ONCE_KERNEL void two_by_two_product(const T *a, const T *b, T *y, int m, int n, int k) {
  for (int r0 = 2 * (blockIdx.y * blockDim.y + threadIdx.y); r0 < m; r0 += 2 * blockDim.y * gridDim.y)
    for (int c0 = 2 * (blockIdx.x * blockDim.x + threadIdx.x); c0 < n; c0 += 2 * blockDim.x * gridDim.x) {
      T s[2][2] = {};
      for (int j = 0; j < k; ++j)
        for (int u = 0; u < 2; ++u)
          for (int v = 0; v < 2; ++v)
            if (r0 + u < m && c0 + v < n)
              s[u][v] += a[(r0 + u) * k + j] * b[j * n + c0 + v];
      for (int u = 0; u < 2; ++u)
        for (int v = 0; v < 2; ++v)
          if (r0 + u < m && c0 + v < n)
            y[(r0 + u) * n + c0 + v] = s[u][v];
    }
}

// bank: x in [n] -1:1 | parent in i32 [n] 0:30 | y out [n] | n = 30
ONCE_KERNEL void climbing_to_the_root(const T *x, const int *parent, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = 1;
  for (int k = i; k > 0; k = min(parent[k], k - 1))
    v = v * T(0.5) + x[k] * v;
  y[i] = v + x[0];
}

// Unsigned wrap below zero is a bounds check.
// bank: x in [8, 8] -1:1 | y out [8, 8] | h = 8 | w = 8 | @block 8,8 | @grid 1
ONCE_KERNEL void unsigned_bounds(const T *x, T *y, int h, int w) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= h || c >= w)
    return;
  T s = 0;
  for (int d = -1; d <= 1; ++d)
    if (static_cast<unsigned>(r + d) < static_cast<unsigned>(h) &&
        static_cast<unsigned>(c - d) < static_cast<unsigned>(w))
      s += x[(r + d) * w + c - d] * T(d + 2);
  y[r * w + c] = s * s;
}

// bank: x in [12, 10, 3] -1:1 | y out [10, 12] | @block 16,16 | @grid 1
ONCE_KERNEL void channels_in_grid_stride_of_two_axes(kernix::TensorView<const T> x, kernix::TensorView<T> y) {
  for (int64_t r = blockIdx.y * blockDim.y + threadIdx.y; r < x.size(0); r += gridDim.y * blockDim.y)
    for (int64_t c = blockIdx.x * blockDim.x + threadIdx.x; c < x.size(1); c += gridDim.x * blockDim.x) {
      T v = 0;
      for (int k = 0; k < x.size(2); ++k)
        v = v * T(0.5) + x(r, c, k) * x(r, c, k);
      y(c, r) = v;
    }
}

// bank: x in [n] -1:1 | y inout [n] -1:1 | z inout [n] -1:1 | n = 24
ONCE_KERNEL void one_of_two_in_place(const T *x, T *y, T *z, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T *p = i % 2 ? y : z;
  T v = p[i];
  p[i] = v * v * x[i];
}

// bank: x in [n, 4] -1:1 | y inout [n, 4] -1:1 | n = 24
ONCE_KERNEL void rows_rotated_in_place(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T *r = y + 4 * i, last = r[3];
  for (int k = 3; k > 0; --k)
    r[k] = r[k - 1] * x[4 * i + k];
  r[0] = last * last;
}

// bank: x in [n] -1:1 | y out [n] | z out [n] | n = 40
ONCE_KERNEL void outputs_on_different_ways(const T *x, T *y, T *z, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = T(0);
  z[i] = x[i];
  if (x[i] > 0) {
    y[i] = x[i] * x[i];
    return;
  }
  T *o = i % 2 ? y : z;
  o[i] = x[i] * T(3);
}

// bank: x in [n] -1:1 | y inout [n] -1:1 | n = 77
ONCE_KERNEL void updated_in_steps(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] *= x[i];
  y[i] += x[i] * y[i];
  y[i] -= sin(y[i]);
  if (i & 1)
    y[i] = y[i] * y[i];
}

// bank: x in [n] -1:1 | y inout [n] -1:1 | c inout i32 [4] 0:1 | n = 40
ONCE_KERNEL void counting_beside(const T *x, T *y, int *c, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  atomicAdd(&c[i % 4], 1);
  atomicMax(&c[1], i);
  atomicOr(&c[2], 1 << (i % 8));
  y[i] += x[i] * x[i];
}

// bank: x in [n] -1:1 | y out [2*n] | n = 45
KERNEL void both_ends(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[i] * x[i];
  y[2 * n - 1 - i] = sin(x[i]);
}

// The first half of one iteration may be beside the second half of another.
// bank: x in [n] -1:1 | y out [2*n] | n = 45 | @block 8,1 | @grid 2,1
KERNEL void both_ends_in_strides(const T *x, T *y, int n) {
  for (int i = thread_index(); i < n; i += gridDim.x * blockDim.x) {
    y[i] = x[i] * x[i];
    y[2 * n - 1 - i] = sin(x[i]);
  }
}

// bank: x in [n] -1:1 | y out [48] | n = 45 | @block 1,1 | @grid 1,1
KERNEL void flipped_bits(const T *x, T *y, int n) {
  for (int k = 0; k < n; ++k)
    y[k ^ 5] = x[k] * x[k];
}

// bank: x in [n] -1:1 | y out [48] | n = 45 | @block 4,1 | @grid 2,1
KERNEL void flipped_bits_in_strides(const T *x, T *y, int n) {
  for (int k = thread_index(); k < n; k += gridDim.x * blockDim.x)
    y[k ^ 9] = x[k] * x[k];
}

// bank: x in [n] -1:1 | w in [100] -1:1 | y out [n, 128] | n = 6
KERNEL void flipped_bits_in_rows(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i < n)
    for (int k = 99; k >= 0; --k)
      y[i * 128 + (k ^ 0x13)] = x[i] * w[k];
}

// bank: x in [n] -1:1 | y out [n, n] | n = 12 | @block 1,1 | @grid 1,1
KERNEL void triangle_and_diagonal(const T *x, T *y, int n) {
  for (int i = 0; i < n; ++i) {
    y[i * n + i] = x[i] * x[i];
    for (int j = 0; j < i; ++j)
      y[i * n + j] = x[i] * sin(x[j]);
  }
}
