// Elements of shared memory that several threads store, all of them the same value.
#include "bank.h"

template <class T> __device__ T warp_sum(T v) {
  for (int o = 16; o > 0; o >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
ONCE_KERNEL void number_stored_by_all(const T *x, T *y, int n) {
  __shared__ T s;
  s = x[0] * x[1];
  __syncthreads();
  y[threadIdx.x] = s * x[threadIdx.x];
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
ONCE_KERNEL void totals_stored_by_all_lanes(const T *x, T *y, int n) {
  __shared__ T s[2];
  int t = threadIdx.x;
  T v = warp_sum(x[t] * x[t]);
  s[t / 32] = v;
  __syncthreads();
  y[t] = (s[0] + s[1]) * x[t];
}

// bank: x in [4,16] -1:1 | y out [4,16] | n = 64 | @block 16,4 | @grid 1
ONCE_KERNEL void rows_stored_by_all(const T *x, T *y, int n) {
  __shared__ T s[4];
  int i = threadIdx.y * 16 + threadIdx.x;
  s[threadIdx.y] = x[threadIdx.y * 16] * x[threadIdx.y * 16 + 1];
  __syncthreads();
  y[i] = s[(threadIdx.y + 1) % 4] * x[i];
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
ONCE_KERNEL void mean_stored_by_all(const T *x, T *y, int n) {
  __shared__ T p[2], mean;
  int t = threadIdx.x;
  T v = warp_sum(x[t] * x[t]);
  if (lane() == 0)
    p[t / 32] = v;
  __syncthreads();
  mean = (p[0] + p[1]) / n;
  __syncthreads();
  y[t] = x[t] / (1 + mean);
}

// values by all threads into a table that all compute alike
// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
ONCE_KERNEL void table_stored_by_all(const T *x, T *y, int n) {
  __shared__ T w[4];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k)
    w[k] = x[k] * x[k + 4];
  __syncthreads();
  T a = 0;
  for (int k = 0; k < 4; ++k)
    a += w[k] * x[(t + k) % n];
  y[t] = a;
}

// threads modulo: two threads, same value
// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
ONCE_KERNEL void stored_by_two_threads(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t % 32] = x[t % 32] * x[t % 32];
  __syncthreads();
  y[t] = s[31 - t % 32] * x[t];
}

// halo clamp: several threads store the border element
// bank: x in [n] -1:1 | y out [n] | n = 50 | @block 64 | @grid 1
ONCE_KERNEL void last_element_stored_by_many(const T *x, T *y, int n) {
  __shared__ T s[64];
  int t = threadIdx.x, c = min(t, n - 1);
  s[c] = x[c] * x[c];
  __syncthreads();
  if (t < n)
    y[t] = s[n - 1 - t] * x[t];
}

// overlapping loads of a halo by 2-D blocks: each loads element and right neighbour
// bank: x in [65] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
ONCE_KERNEL void stored_by_neighbours(const T *x, T *y, int n) {
  __shared__ T s[65];
  int t = threadIdx.x;
  s[t] = x[t];
  s[t + 1] = x[t + 1];
  __syncthreads();
  y[t] = s[t] * s[t + 1] + s[64 - t];
}

// by those of one warp
// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
ONCE_KERNEL void total_stored_by_one_warp(const T *x, T *y, int n) {
  __shared__ T s;
  int t = threadIdx.x;
  if (t < 32)
    s = warp_sum(x[t] * x[t + 32]);
  __syncthreads();
  y[t] = s * x[t];
}

// in a loop
// bank: x in [m,n] -1:1 | y out [n] | n = 64 | m = 3 | @block 64 | @grid 1
ONCE_KERNEL void totals_overwritten_by_all_lanes(const T *x, T *y, int n, int m) {
  __shared__ T s[2];
  int t = threadIdx.x;
  T a = 1;
  for (int k = 0; k < m; ++k) {
    s[t / 32] = warp_sum(a * x[k * n + t]);
    __syncthreads();
    a = tanh(a + s[0] - s[1] * s[0]);
    __syncthreads();
  }
  y[t] = a;
}

// 2-D tile stores of which rows coincide (a block of 16x4 loading a 16 row)
// bank: x in [64] -1:1 | y out [64] | n = 64 | @block 16,4 | @grid 1
ONCE_KERNEL void row_stored_by_all_rows(const T *x, T *y, int n) {
  __shared__ T s[16];
  int i = threadIdx.y * 16 + threadIdx.x;
  s[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
  __syncthreads();
  y[i] = s[15 - threadIdx.x] * x[i];
}
