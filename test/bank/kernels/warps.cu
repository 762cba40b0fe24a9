// Shuffles and votes.
#include "bank.h"

// bank: x in [n] -1:1 | y out [2] | n = 64
KERNEL void warp_sum_down(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  for (int step = 16; step > 0; step /= 2)
    v += __shfl_down_sync(0xffffffffu, v, step);
  if (lane() == 0)
    y[i / 32] = sin(v);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void warp_sum_xor(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  for (int step = 16; step > 0; step /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, step);
  y[i] = x[i] / sqrt(v);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void warp_maximum(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  for (int step = 16; step > 0; step /= 2)
    v = fmax(v, __shfl_xor_sync(0xffffffffu, v, step));
  y[i] = exp(x[i] - v * v);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void warp_softmax(const T *x, T *y, int n) {
  int i = thread_index();
  T largest = x[i];
  for (int step = 16; step > 0; step /= 2)
    largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, step));
  T e = exp(x[i] - largest), sum = e;
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  y[i] = e / sum;
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void warp_scan(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  for (int step = 1; step < 32; step *= 2) {
    T before = __shfl_up_sync(0xffffffffu, v, step);
    if (lane() >= step)
      v += before;
  }
  y[i] = sin(v);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void from_first_lane(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  y[i] = x[i] * __shfl_sync(0xffffffffu, v, 0);
}

// bank: x in [n] -1:1 | at in i32 [n] 0:32 | y out [n] | n = 64
KERNEL void from_any_lane(const T *x, const int *at, T *y, int n) {
  int i = thread_index();
  T v = sin(x[i]);
  y[i] = x[i] * __shfl_sync(0xffffffffu, v, at[i]);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void boundary_lanes(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  y[i] = __shfl_down_sync(0xffffffffu, v, 3) * __shfl_up_sync(0xffffffffu, v, 5) * x[i];
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void narrow_segments(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  y[i] = __shfl_down_sync(0xffffffffu, v, 1, 8) * x[i] + __shfl_up_sync(0xffffffffu, v, 2, 16) +
         __shfl_xor_sync(0xffffffffu, v, 3, 4) * v + __shfl_sync(0xffffffffu, v, 5, 8);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void exchange_across_segments(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  y[i] = __shfl_xor_sync(0xffffffffu, v, 5, 4) * x[i];
}

// bank: x in [n] -1:1 | step in i32 [n] 0:32 | y out [n] | n = 64
KERNEL void steps_of_lanes(const T *x, const int *step, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  y[i] = __shfl_down_sync(0xffffffffu, v, step[i]) + __shfl_up_sync(0xffffffffu, v, step[i]) * x[i] +
         __shfl_xor_sync(0xffffffffu, v, step[i]) * v;
}

// bank: x in [n] -1:1 | y out [n] | n = 50
KERNEL void returned_lanes(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i] * x[i];
  for (int step = 1; step < 32; step *= 2) {
    T before = __shfl_up_sync(0xffffffffu, v, step);
    if (lane() >= step)
      v += before;
  }
  y[i] = v + __shfl_sync(0xffffffffu, v, 2) * x[i];
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void half_a_warp(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  if (lane() < 16) {
    for (int step = 8; step > 0; step /= 2)
      v += __shfl_xor_sync(0x0000ffffu, v, step);
  }
  y[i] = v * x[i];
}

// bank: x in [n] -1:1 | y out [1] | n = 128 | @block 128 | @grid 1
ONCE_KERNEL void block_sum(const T *x, T *y, int n) {
  __shared__ T parts[32];
  int t = threadIdx.x, warp = t / 32;
  T v = sin(x[t]);
  for (int step = 16; step > 0; step /= 2)
    v += __shfl_down_sync(0xffffffffu, v, step);
  if (lane() == 0)
    parts[warp] = v;
  __syncthreads();
  v = t < blockDim.x / 32 ? parts[lane()] : T(0);
  if (warp == 0) {
    for (int step = 16; step > 0; step /= 2)
      v += __shfl_down_sync(0xffffffffu, v, step);
    if (t == 0)
      y[0] = v * v;
  }
}

template <class T> __device__ T sum_of_warp(T v) {
  for (int step = 16; step > 0; step >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, step, 32);
  return v;
}

template <class T> __device__ T sum_of_block(T v) {
  __shared__ T parts[32];
  __syncthreads();
  v = sum_of_warp(v);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? parts[threadIdx.x % 32] : T(0);
  return sum_of_warp(v);
}

// bank: x in [rows, m] -1:1 | g in [m] 0.5:1.5 | y out [rows, m] | rows = 2 | m = 100 | @block 64 | @grid 2
KERNEL void layer_norm_by_shuffles(const T *x, const T *g, T *y, int rows, int m) {
  const T *row = x + blockIdx.x * m;
  T sum = 0, squares = 0;
  for (int k = threadIdx.x; k < m; k += blockDim.x) {
    sum += row[k];
    squares += row[k] * row[k];
  }
  T mean = sum_of_block(sum) / m, variance = sum_of_block(squares) / m - mean * mean;
  for (int k = threadIdx.x; k < m; k += blockDim.x)
    y[blockIdx.x * m + k] = (row[k] - mean) * rsqrt(variance + T(1e-3)) * g[k];
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void vote(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  if (__any_sync(0xffffffffu, x[i] > T(2)))
    v = 0;
  unsigned positive = __ballot_sync(0xffffffffu, x[i] > 0);
  if (__all_sync(0xffffffffu, x[i] > T(-2)))
    v *= __popc(positive);
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 64
ONCE_KERNEL void shuffle_in_long_loop(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  for (int k = 0; k < n; ++k)
    v = v * T(0.5) + T(0.3) * sin(__shfl_sync(0xffffffffu, v, (lane() + k) % 32));
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 32
KERNEL void warp_synchronous(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    T other = s[t ^ step];
    __syncwarp();
    s[t] = s[t] * T(0.7) + other * other;
    __syncwarp();
  }
  y[t] = s[t];
}

// bank: x in [rows, m] -1:1 | v in [m] -1:1 | y out [rows] | rows = 6 | m = 40 | @block 32,2 | @grid 3
KERNEL void product_of_rows(const T *x, const T *v, T *y, int rows, int m) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  T sum = 0;
  for (int k = threadIdx.x; k < m; k += 32)
    sum += x[row * m + k] * v[k];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0)
    y[row] = sum;
}

// bank: a in [8, 8] -1:1 | y out [8, 8] | @block 32 | @grid 1
KERNEL void transpose_by_shuffles(const T *a, T *y) {
  int t = threadIdx.x;
  for (int part = 0; part < 2; ++part) {
    T v = a[part * 32 + t];
    T w = __shfl_sync(0xffffffffu, v, (t % 4) * 8 + t / 4);
    y[part * 32 + t] = w * w * v;
  }
}

// bank: x in [rows,32] -1:1 | y out [rows,32] | rows = 7 | @block 32 | @grid 3
KERNEL void rows_of_a_warp_in_turn(const T *x, T *y, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const T v = x[row * 32 + threadIdx.x];
    T sum = v * v;
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    y[row * 32 + threadIdx.x] = v / sqrt(sum + T(0.1));
  }
}

// Warps that have no row return at once; what is left to do depends on the lane.
// bank: value in [3,40] -1:1 | x in [40] -1:1 | y out [3] | n = 3 | @block 64 | @grid 2
KERNEL void warp_for_each_row(const T *value, const T *x, T *y, int n) {
  int row = thread_index() / 32;
  if (row >= n)
    return;
  T sum = 0;
  for (int k = lane(); k < 40; k += 32)
    sum += value[row * 40 + k] * x[k] * x[k];
#pragma unroll
  for (int step = 16; step > 0; step >>= 1)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane() == 0)
    y[row] = sin(sum);
}
