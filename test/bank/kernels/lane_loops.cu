// Loops over staged elements that lanes leave in different iterations, or that only some warps come to.
#include "bank.h"

// bank: w in [3, 16] -1:1 | x in [64] -1:1 | y out [64] | m in i32 [64] 1:17 | n = 64 | @block 32 | @grid 2
ONCE_KERNEL void thread_lengths_in_uniform_loop(const T *w, const T *x, const int *m, T *y, int n) {
  __shared__ T s[16];
  int i = blockIdx.x * 32 + threadIdx.x;
  T a = 0;
  for (int r = 0; r < 3; ++r) {
    __syncthreads();
    if (threadIdx.x < 16)
      s[threadIdx.x] = w[r * 16 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < m[i]; ++k)
      a += s[k] * sin(a + x[i]);
  }
  y[i] = a;
}

// bank: w in [16] -1:1 | x in [64] -1:1 | y out [64] | n = 64 | @block 16,4 | @grid 1
ONCE_KERNEL void break_when_large(const T *w, const T *x, T *y, int n) {
  __shared__ T s[16];
  int i = threadIdx.y * 16 + threadIdx.x;
  if (threadIdx.y == 0)
    s[threadIdx.x] = w[threadIdx.x] * w[threadIdx.x] + T(0.1);
  __syncthreads();
  T a = 1;
  for (int k = 0; k < 16; ++k) {
    if (x[i] * s[k] < T(-0.2))
      continue;
    a += s[k] * x[i] * a;
    if (a > T(2) || a < T(0.2))
      break;
  }
  y[i] = a;
}

// bank: w in [16, 4] -1:1 | x in [96] -1:1 | y out [96] | n = 96 | @block 24,4 | @grid 1
ONCE_KERNEL void four_of_each_by_rows(const T *w, const T *x, T *y, int n) {
  __shared__ T s[16][4];
  int i = threadIdx.y * 24 + threadIdx.x;
  if (i < 64)
    s[i / 4][i % 4] = w[i];
  __syncthreads();
  T a = 0;
  for (int k = 0; k < 16; ++k) {
    T d = x[i] - s[k][0];
    a += s[k][1] * exp(-d * d * (1 + s[k][2] * s[k][2])) + s[k][threadIdx.y] * d;
  }
  y[i] = a;
}

// bank: w in [40] -1:1 | x in [80] -1:1 | y out [80] | n = 40 | @block 40,2 | @grid 1
ONCE_KERNEL void partial_last_warp(const T *w, const T *x, T *y, int n) {
  __shared__ T s[40];
  if (threadIdx.y == 0)
    s[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  T a = 0;
  int i = threadIdx.y * 40 + threadIdx.x;
  for (int k = 0; k < n; ++k)
    a += s[k] * s[k] * x[i] + s[(k + 1) % n];
  y[i] = a;
}

// bank: w in [8] -1:1 | x in [64] -1:1 | y out [64] | n = 8 | @block 64 | @grid 1
ONCE_KERNEL void two_loops_one_tile(const T *w, const T *x, T *y, int n) {
  __shared__ T s[8];
  if (threadIdx.x < 8)
    s[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  T a = x[threadIdx.x], b = 0;
  for (int k = 0; k < n; ++k)
    a = tanh(a + s[k]);
  for (int k = n - 1; k >= 0; --k)
    b += s[k] * a + s[n - 1 - k] * b;
  y[threadIdx.x] = a * b;
}

// bank: w in [8] -1:1 | x in [64] -1:1 | y out [64] | n = 8 | @block 64 | @grid 1
ONCE_KERNEL void while_converging(const T *w, const T *x, T *y, int n) {
  __shared__ T s[8];
  if (threadIdx.x < 8)
    s[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  T a = x[threadIdx.x];
  int k = 0;
  while (k < n && a * a > T(0.05)) {
    a -= T(0.3) * (a - s[k] * a * a);
    ++k;
  }
  y[threadIdx.x] = a;
}

// bank: w in [2, 8] -1:1 | x in [64] -1:1 | y out [64] | n = 8 | @block 32,2 | @grid 1
ONCE_KERNEL void choice_of_tile_by_warp(const T *w, const T *x, T *y, int n) {
  __shared__ T s[2][8];
  if (threadIdx.x < 8)
    s[threadIdx.y][threadIdx.x] = w[threadIdx.y * 8 + threadIdx.x];
  __syncthreads();
  T a = 0;
  int i = threadIdx.y * 32 + threadIdx.x;
  if (threadIdx.y == 0)
    for (int k = 0; k < n; ++k)
      a += s[1][k] * x[i];
  else
    for (int k = 0; k < n; ++k)
      a += s[0][k] * s[threadIdx.y][k] * x[i];
  y[i] = a;
}

// bank: w in [32] -1:1 | x in [64] -1:1 | y out [64] | n = 64 | @block 32,2 | @grid 1
ONCE_KERNEL void triangular_by_lane(const T *w, const T *x, T *y, int n) {
  __shared__ T s[32];
  if (threadIdx.y == 0)
    s[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  T a = 0;
  int i = threadIdx.y * 32 + threadIdx.x;
  for (int k = 0; k <= (int)threadIdx.x; ++k)
    a += s[k] * x[i - threadIdx.x + k];
  y[i] = a;
}

// `continue` out of scopes with variables, in a loop that threads leave at different times.
// bank: w in [3, 32] -1:1 | x in [60] -1:1 | y out [60] | n = 60 | @block 32 | @grid 2
ONCE_KERNEL void passed_over_in_scopes(const T *w, const T *x, T *y, int n) {
  __shared__ T s[32];
  int i = blockIdx.x * 32 + threadIdx.x;
  T v = i < n ? x[i] : T(0), a = v, b = 1;
  bool done = i >= n;
  for (int r = 0; r < 3; ++r) {
    __syncthreads();
    s[threadIdx.x] = w[r * 32 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 32 && !done; ++j) {
      if (a > 4) {
        done = true;
        break;
      }
      if (s[j] <= T(0.28)) {
        T near = v * s[j];
        if (near <= T(0.449)) {
          switch ((j + i) % 3) {
          case 0:
            b += s[(j + 1) % 32];
            break;
          default:
            a += near * near;
          }
          if (s[j] > T(0.1))
            continue;
        }
      }
      T next = a + v * s[j];
      if (s[j] > T(-0.11))
        a = next;
      else if (s[j] * v > T(0.7))
        break;
    }
  }
  if (i < n)
    y[i] = a * b;
}

// What is read last is used behind the loop, since other iterations forget it.
// bank: x in [100] -1:1 | w in [2, 32] -1:1 | u in [2, 32] -1:1 | y out [100] | n = 100 | @block 64 | @grid 2
ONCE_KERNEL void used_behind_the_break [[kernix::block(64)]] (const T *x, const T *w, const T *u, T *y, int n) {
  __shared__ T s[32], r[32];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  T v = i < n ? x[i] : T(0), a = v, b = 0, c = 1;
  bool done = i >= n;
  for (int tile = 0; tile < 2; ++tile) {
    if (__syncthreads_and(done))
      break;
    if (t < 32) {
      s[t] = w[tile * 32 + t];
      r[t] = u[tile * 32 + t];
    }
    __syncthreads();
    for (int j = 0; j < 32 - tile && !done; ++j) {
      if (a > 9 || a < -9) {
        done = true;
        break;
      }
      for (int k = 0; k < 3 - j % 3; ++k) {
        T lower = c - T(0.66);
        if (s[j] > T(-0.13))
          c = lower;
        T higher = c + cos(a);
        if (c > T(1.697))
          c = higher;
        else if (s[j] * v > T(-0.244))
          break;
      }
      if ((j + i) % 4 == 1) {
        T next = a + s[(j + 1) % 32];
        if (c > T(-0.135))
          a = next;
        if (s[j] * v > T(0.163)) {
          b = s[j];
          c += s[(j + 1) % 32] - sin(r[j]);
        }
        c += s[j];
        if (s[j] > T(0.17))
          break;
      }
      c = exp(-v * v);
    }
  }
  if (i < n)
    y[i] = a + T(0.7) * b - c * T(0.3);
}

// What is read is used by the next iteration.
// bank: x in [64] -1:1 | w in [32] -1:1 | y out [64] | @block 64 | @grid 1
KERNEL void used_by_the_next_iteration [[kernix::block(64)]] (const T *x, const T *w, T *y) {
  __shared__ T s[32];
  int t = threadIdx.x;
  if (t < 32)
    s[t] = w[t];
  __syncthreads();
  T a = x[t], last = 0;
  for (int k = 0; k < 32; ++k) {
    if (a > 2 || a < -2)
      break;
    if ((k + t) % 4 == 1)
      a += s[(k + 1) % 32] * a;
    a += T(0.3) * last * x[t];
    last = s[k];
  }
  y[t] = a;
}
