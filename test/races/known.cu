// Kernels whose backward kernels race, and the same as they should be: what races.py has to tell apart.
#include "../bank/kernels/bank.h"

// Two threads of a block read an element that the source says one reads.
// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 32
KERNEL void race_in_a_block(const T *x, [[kernix::diff(unique)]] const T *w, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * w[i / 2];
}
// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 32
KERNEL void order_in_a_block(const T *x, [[kernix::diff(unique)]] const T *w, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * w[n - 1 - i];
}

// The same of threads of different blocks.
// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 96
KERNEL void race_of_blocks(const T *x, [[kernix::diff(unique)]] const T *w, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * w[i % 64];
}
// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 96
KERNEL void order_of_blocks(const T *x, [[kernix::diff(atomic)]] const T *w, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * w[i % 64];
}

// Elements of a tile that others read after a barrier, in blocks that use the same memory one after the other.
// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 96
KERNEL void race_behind_a_barrier(const T *x, [[kernix::diff(unique)]] const T *w, T *y, int n) {
  __shared__ T tile[32];
  int i = thread_index(), t = threadIdx.x;
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[31 - t] * w[i / 2];
}
// bank: x in [n] -1:1 | y out [n] | n = 96
KERNEL void order_by_a_barrier(const T *x, T *y, int n) {
  __shared__ T tile[32];
  int i = thread_index(), t = threadIdx.x;
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[31 - t] * tile[t];
}
