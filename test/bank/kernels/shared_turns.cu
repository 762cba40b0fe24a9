// Shared elements that are stored several times in one iteration of a loop, by the same threads and by others.
#include "bank.h"

// bank: x in [rows, 64] 0.5:1.5 | y out [rows, 64] | rows = 3 | step = 2 | @block 64 | @grid 2
ONCE_KERNEL void parts_twice(const T *x, T *y, int rows, int step) {
  __shared__ T parts[8];
  int t = threadIdx.x;
  for (int row = blockIdx.x; row < rows; row += step) {
    T v = x[row * 64 + t], sum = v * v;
    for (int by = 4; by; by /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, by);
    __syncthreads();
    if (t % 8 == 0)
      parts[t / 8] = sum;
    __syncthreads();
    v /= parts[0] + parts[7] * parts[1];
    sum = sin(v);
    for (int by = 4; by; by /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, by);
    __syncthreads();
    if (t % 8 == 0)
      parts[t / 8] = sum;
    __syncthreads();
    for (int k = 0; k < 8; ++k)
      v *= T(1) + parts[k] / 20;
    y[row * 64 + t] = v;
  }
}

// The second time another thread of each eight stores, elsewhere: what it overwrites is read in the next iteration.
// bank: x in [rows, 32] 0.5:1.5 | y out [rows, 32] | rows = 4 | @block 32 | @grid 1
ONCE_KERNEL void parts_by_others(const T *x, T *y, int rows) {
  __shared__ T parts[8];
  int t = threadIdx.x;
  if (t < 8)
    parts[t] = T(t + 1) / 4;
  __syncthreads();
  for (int row = 0; row < rows; ++row) {
    T v = x[row * 32 + t] * parts[(t + row) % 8];
    __syncthreads();
    if (t % 8 == 0)
      parts[t / 8] = v;
    __syncthreads();
    v *= parts[t / 8] + parts[4 + t / 8];
    __syncthreads();
    if (t % 8 == 3)
      parts[4 + t / 8] = v;
    __syncthreads();
    y[row * 32 + t] = v * parts[t % 8];
    __syncthreads();
  }
}

// Read before it is stored again: it is the last iteration's second store that is found.
// bank: x in [rows, 32] 0.5:1.5 | y out [rows, 32] | rows = 4 | @block 32 | @grid 1
ONCE_KERNEL void parts_of_last_time(const T *x, T *y, int rows) {
  __shared__ T parts[4];
  int t = threadIdx.x;
  if (t % 8 == 0)
    parts[t / 8] = T(1);
  __syncthreads();
  for (int row = 0; row < rows; ++row) {
    T v = x[row * 32 + t] * parts[3 - t / 8];
    __syncthreads();
    if (t % 8 == 0)
      parts[t / 8] = v * v;
    __syncthreads();
    v += parts[t / 8];
    __syncthreads();
    if (t % 8 == 0)
      parts[t / 8] = v / 2;
    __syncthreads();
    y[row * 32 + t] = v * parts[t / 8];
    __syncthreads();
  }
}

// The first store is left out in some iterations.
// bank: x in [rows, 32] 0.5:1.5 | y out [rows, 32] | rows = 5 | @block 32 | @grid 1
ONCE_KERNEL void parts_now_and_then(const T *x, T *y, int rows) {
  __shared__ T parts[4];
  int t = threadIdx.x;
  if (t % 8 == 0)
    parts[t / 8] = T(1);
  __syncthreads();
  for (int row = 0; row < rows; ++row) {
    T v = x[row * 32 + t];
    if (row % 2 == 0 && t % 8 == 0)
      parts[t / 8] = v * v;
    __syncthreads();
    v += parts[t / 8] * x[row * 32 + 31 - t];
    __syncthreads();
    if (t % 8 == 0)
      parts[t / 8] = v / 2;
    __syncthreads();
    y[row * 32 + t] = v * parts[t / 8];
    __syncthreads();
  }
}

// One of two arrays, by an argument.
// bank: x in [rows, 32] 0.5:1.5 | y out [rows, 32] | rows = 4 | which = 1 | @block 32 | @grid 1
ONCE_KERNEL void parts_of_either(const T *x, T *y, int rows, int which) {
  __shared__ T first[4], second[4];
  int t = threadIdx.x;
  T *parts = which ? first : second;
  if (t < 4)
    first[t] = second[t] = T(2);
  __syncthreads();
  for (int row = 0; row < rows; ++row) {
    T v = x[row * 32 + t];
    if (t % 8 == 0)
      parts[t / 8] = v;
    __syncthreads();
    v *= parts[t / 8] + second[3 - t / 8];
    __syncthreads();
    if (t % 8 == 0)
      parts[t / 8] = v * v;
    __syncthreads();
    y[row * 32 + t] = v * parts[3 - t / 8] * first[0];
    __syncthreads();
  }
}
