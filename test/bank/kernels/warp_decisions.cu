// Loops that all lanes of a warp leave together, since they decide by what they have exchanged.
#include "bank.h"

// bank: x in [n] 0.5:1.5 | y out [n] | n = 64
KERNEL void until_all_are_small(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  for (int k = 0; k < 40; ++k) {
    if (__all_sync(0xffffffffu, v < T(0.3)))
      break;
    v = T(0.5) * v + T(0.1) * __shfl_xor_sync(0xffffffffu, v * v, 1) * x[i];
  }
  y[i] = v * v;
}

// bank: x in [n] 0.5:1.5 | y out [n] | n = 64
ONCE_KERNEL void while_many_are_large(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  while (__popc(__ballot_sync(0xffffffffu, v > T(0.2))) > 3)
    v = T(0.4) * v + T(0.2) * __shfl_down_sync(0xffffffffu, v * x[i], 1);
  y[i] = v * v;
}

// bank: x in [n] 0.5:1.5 | y out [n] | n = 64
KERNEL void until_the_sum_is_small(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  for (int k = 0; k < 30; ++k) {
    T sum = v * v;
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (sum < T(0.5))
      break;
    v = v - T(0.2) * v * sqrt(sum) * x[i] / (T(1) + sum);
  }
  y[i] = v * x[i];
}

// The distances in another order, a maximum, and a condition made of two.
// bank: x in [n] 0.5:1.5 | w in [n] 0.5:1.5 | y out [n] | n = 64
ONCE_KERNEL void until_the_maximum_is_small(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  int k = 0;
  while (true) {
    T largest = fabs(v), sum = v;
    for (int step = 1; step < 32; step *= 2)
      largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, step));
    for (int step = 1; step < 32; step *= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (largest < T(0.1) || sum * T(0.5) < largest || ++k > 60)
      break;
    v = v * w[i] / (largest + sum * T(0.05));
    v = v * T(0.7) * x[i] - T(0.02);
  }
  y[i] = v;
}

// A warp for each row; conjugate gradients on a diagonal, to a tolerance.
// bank: a in [n] 1:2 | b in [n] -1:1 | y out [n] | n = 64
KERNEL void conjugate_gradients(const T *a, const T *b, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto dot = [](T p, T q) {
    T sum = p * q;
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, step);
    return sum;
  };
  T x = 0, r = b[i], p = r, rr = dot(r, r);
  for (int k = 0; k < 6; ++k) {
    T q = a[i] * p, step = rr / dot(p, q);
    x += step * p;
    r -= step * q;
    T next = dot(r, r);
    if (next < T(1e-3))
      break;
    p = r + next / rr * p;
    rr = next;
  }
  y[i] = x;
}

// Rows of half a warp: the sum is the warp's, what it is compared with a row's own.
// bank: x in [n] 0.5:1.5 | limit in [2] 20:40 nodiff | y out [n] | n = 64 | @block 16,2 | @grid 2
ONCE_KERNEL void rows_of_half_a_warp(const T *x, const T *limit, T *y, int n) {
  int thread = threadIdx.x + blockDim.x * threadIdx.y, i = blockIdx.x * blockDim.x * blockDim.y + thread;
  T v = x[i], sum = v, r = 1;
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (sum > limit[threadIdx.y])
    r = __shfl_xor_sync(0xffffu << (thread & 16), v, 1);
  y[i] = r * v;
}
