// Numbers that one lane gives to its whole warp.
#include "bank.h"

constexpr unsigned ALL = 0xffffffffu;

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void eight_lanes(const T *x, T *y, int n) {
  int i = thread_index();
  T v = sin(x[i]), sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += __shfl_sync(ALL, v, k) * cos(T(k) + x[i]);
  y[i] = sum;
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void every_lane(const T *x, T *y, int n) {
  int i = thread_index();
  T v = sin(x[i]), sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k)
    sum += __shfl_sync(ALL, v, k) * cos(T(k) * x[i]);
  y[i] = sum;
}

// The last warp has returned in part.
// bank: x in [n] -1:1 | y out [n] | n = 77
KERNEL void lanes_of_a_part(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = exp(x[i]);
  y[i] = __shfl_sync(ALL, v, 3) * x[i] + __shfl_sync(ALL, v, 9) * sin(x[i]) + __shfl_sync(ALL, v, 4) * cos(x[i]);
}

// As many at a time as the loop is unrolled by; the first one is known at run time.
// bank: x in [n] -1:1 | first in i32 [n] 0:28 | y out [n] | n = 64
KERNEL void lanes_behind_one(const T *x, const int *first, T *y, int n) {
  int i = thread_index();
  const int begin = first[i / 32 * 32];
  T v = x[i] * x[i], product = 1;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    product *= T(1) + __shfl_sync(ALL, v, begin + k) * x[i];
  y[i] = product;
}

// Lanes beyond the last are taken modulo 32.
// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void lanes_around_the_end(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i], sum = 0;
#pragma unroll
  for (int k = 28; k < 36; ++k)
    sum += __shfl_sync(ALL, v, k) * sin(T(k) + x[i]);
  y[i] = sum;
}

// bank: x in [n, 3] -1:1 | y out [n] | n = 64
KERNEL void three_numbers_of_a_lane(const T *x, T *y, int n) {
  int i = thread_index();
  T a = x[3 * i], b = sin(x[3 * i + 1]), c = x[3 * i + 2] * x[3 * i + 2], energy = 0;
  for (int k = 0; k < 32; ++k) {
    T da = __shfl_sync(ALL, a, k) - a, db = __shfl_sync(ALL, b, k) - b, dc = __shfl_sync(ALL, c, k) - c;
    energy += T(1) / (da * da + db * db + dc * dc + T(0.5));
  }
  y[i] = energy;
}

// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 64
KERNEL void two_numbers_in_another_order(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  T v = sin(x[i]), u = w[i] * x[i];
  T a = __shfl_sync(ALL, u, 5), b = __shfl_sync(ALL, v, 30), c = __shfl_sync(ALL, u, 4), d = __shfl_sync(ALL, v, 2);
  T e = __shfl_sync(ALL, v, 31), f = __shfl_sync(ALL, u, 21);
  y[i] = a * b * x[i] + c * d * w[i] + e * f * sin(x[i]);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void same_lane_again(const T *x, T *y, int n) {
  int i = thread_index();
  T v = sin(x[i]), sum = 0;
#pragma unroll
  for (int k = 0; k < 6; ++k)
    sum += exp(__shfl_sync(ALL, v, k / 2 * 3) * T(k) * x[i] * T(0.1));
  y[i] = sum;
}

// What is given out second has been made of what was given out first.
// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void one_after_the_other(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i];
  for (int k = 0; k < 4; ++k)
    v = v * T(0.5) + sin(__shfl_sync(ALL, v, 7 * k)) * x[i];
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void used_in_between(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  T a = __shfl_sync(ALL, v, 1);
  T w = a * x[i];
  T b = __shfl_sync(ALL, v, 2);
  T c = __shfl_sync(ALL, w, 3);
  T d = __shfl_sync(ALL, v, 4) * c;
  y[i] = a * w + b * c + __shfl_sync(ALL, d, 5) * x[i];
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void half_of_the_lanes(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i], r = x[i];
  if (lane() < 16)
    for (int k = 0; k < 4; ++k)
      r += __shfl_sync(0x0000ffffu, v, 2 * k + 1) * cos(x[i] * T(k));
  y[i] = r;
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void where_a_warp_goes(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  T r = v;
  if (i / 32 == 1)
    for (int k = 0; k < 3; ++k)
      r += __shfl_sync(ALL, v, 10 + k) * x[i];
  else
    r *= __shfl_sync(ALL, v, 11);
  y[i] = r;
}

// Entries of rows (CSR), of which lanes read eight at a time.
// bank: first in i32 [5] 0:1 | weight in [40] -1:1 | x in [8, 32] -1:1 | y out [4, 32] | @block 64 | @grid 2
KERNEL void entries_handed_around(const int *first, const T *weight, const T *x, T *y) {
  const int row = blockIdx.x * 2 + threadIdx.x / 32;
  const int begin = 9 * row + first[row], end = begin + 4 * row - row * row;
  T sum = 0;
  for (int start = begin; start < end; start += 8) {
    const int count = min(8, end - start);
    const T mine = lane() < count ? weight[start + lane()] : T(0);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const T w = __shfl_sync(ALL, mine, k);
      if (k < count)
        sum += w * w * x[(start + k) % 8 * 32 + lane()];
    }
  }
  y[row * 32 + lane()] = sum;
}

// Lanes that change places, some with gaps.
// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void turned_lanes(const T *x, T *y, int n) {
  int i = thread_index();
  T v = sin(x[i]), r = 0;
  for (int k = 1; k < 4; ++k)
    r += __shfl_sync(ALL, v, (lane() + 5 * k) % 32) * cos(T(k) * x[i]);
  y[i] = r * __shfl_sync(ALL, v, 31 - lane()) + __shfl_sync(ALL, v, lane() * 3);
}

// bank: x in [n] -1:1 | y out [n] | n = 77
KERNEL void turned_lanes_of_a_part(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const int here = min(32, n - i / 32 * 32);
  T v = sin(x[i]);
  y[i] = __shfl_sync(ALL, v, (lane() + 5) % here) * x[i] + __shfl_sync(ALL, v, lane() / 4);
}

// bank: x in [n] -1:1 | y out [n] | n = 64
KERNEL void steps_of_each_lane(const T *x, T *y, int n) {
  int i = thread_index();
  T v = x[i] * x[i];
  y[i] = __shfl_down_sync(ALL, v, lane() % 5) * x[i] + __shfl_up_sync(ALL, v, lane() % 3) +
         __shfl_xor_sync(ALL, v, lane() % 4) * v;
}
