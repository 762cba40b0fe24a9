// Shared memory that is written and read several times: by turns, by some of the threads, and in loops that values end.
#include "bank.h"

// Two tiles that change in turn, each by the other.
// bank: x in [n] 0.5:1.5 | y out [n] | n = 96 | rounds = 3 | @block 32 | @grid 3
ONCE_KERNEL void two_tiles_by_each_other(const T *x, T *y, int n, int rounds) {
  __shared__ T a[34], b[34];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  a[t + 1] = x[i];
  b[t + 1] = T(1) / x[i];
  if (t < 2) {
    a[t * 33] = T(0.7);
    b[t * 33] = T(0.4);
  }
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    T v = a[t] * b[t + 2] + a[t + 1] * b[t + 1] + a[t + 2] * b[t];
    __syncthreads();
    a[t + 1] = sin(v) + b[t] * T(0.1) + b[t + 1] * T(0.2);
    __syncthreads();
    T u = a[t] + a[t + 1] * T(2) - a[t + 2] * b[t + 1];
    __syncthreads();
    b[t + 1] = cos(u) * b[t + 1];
    __syncthreads();
  }
  y[i] = a[t] * b[t + 1] + a[t + 2];
}

// bank: x in [m, 32] 0.5:1.5 | y out [32] | m = 5 | @block 32 | @grid 1
ONCE_KERNEL void tile_of_what_is_carried [[kernix::block(32)]] (const T *x, T *y, int m) {
  __shared__ T s[34];
  int t = threadIdx.x;
  T v = 1;
  if (t < 2)
    s[33 * t] = 0;
  for (int k = 0; k < m; ++k) {
    __syncthreads();
    s[t + 1] = v * x[k * 32 + t];
    __syncthreads();
    v = s[t] * T(0.3) + s[t + 1] * T(0.5) + s[t + 2] * s[32 - t] + T(0.1);
  }
  y[t] = v;
}

// Blocks go different ways, with barriers of their own.
// bank: x in [n] 0.5:1.5 | y out [n] | n = 128 | @block 32 | @grid 4
ONCE_KERNEL void ways_of_blocks [[kernix::block(32)]] (const T *x, T *y, int n) {
  __shared__ T s[34];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  s[t + 1] = x[i];
  if (t == 0) {
    s[0] = x[(i + n - 1) % n];
    s[33] = x[(i + 32) % n];
  }
  __syncthreads();
  T v;
  if (blockIdx.x % 2) {
    v = s[t] * s[t + 1] + s[t + 2] * s[t + 1] * s[33 - t];
    __syncthreads();
    s[t + 1] = v;
    __syncthreads();
    v += s[t] + s[t + 1] * s[t + 2] + s[32 - t] * s[33 - t];
  } else {
    v = s[t] - s[t + 2] * s[t + 1] + s[32 - t] * s[33 - t];
  }
  y[i] = v;
}

// One tile, written and read in three layouts.
// bank: x in [n] 0.5:1.5 | y out [n] | n = 256 | @block 128 | @grid 2
ONCE_KERNEL void three_layouts_of_one_tile(const T *x, T *y, int n) {
  __shared__ T s[4][33];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  s[t / 32][t % 32] = x[i];
  __syncthreads();
  T a = s[(t / 32 + 1) % 4][t % 32] * s[t % 4][t / 4] + s[3 - t / 32][31 - t % 32] + s[t / 32][t % 32];
  __syncthreads();
  s[t % 4][t / 4] = a * a;
  __syncthreads();
  T b = s[t / 32][t % 32] + s[(t / 32 + 2) % 4][t % 32] * s[t / 32][(t + 1) % 32] -
        s[t % 4][t / 4] / s[t / 32][(t + 5) % 32];
  __syncthreads();
  s[t / 32][t % 32] = cos(b);
  __syncthreads();
  y[i] = s[t % 4][t / 4] * b + s[t % 4][31 - t / 4] + s[(t + 1) % 4][t / 4] + s[(t + 2) % 4][t / 4];
}

// bank: x in [n] 0.5:1.5 | y out [n] | n = 60 | @block 30 | @grid 2
ONCE_KERNEL void recurrence_in_place_by_one_thread(const T *x, T *y, int n) {
  __shared__ T s[31];
  int t = threadIdx.x, i = blockIdx.x * 30 + t;
  s[t + 1] = x[i];
  __syncthreads();
  if (t == 0) {
    s[0] = 1;
    for (int k = 1; k <= 30; ++k)
      s[k] = s[k] * s[k - 1] / (s[k] + s[k - 1]);
  }
  __syncthreads();
  y[i] = s[t] * s[30 - t] + s[t + 1];
}

// A function swaps the pointers of its caller.
template <class T> __device__ void smooth(T *&a, T *&b, int t, int n) {
  T l = t ? a[t - 1] : a[0], r = t + 1 < n ? a[t + 1] : a[n - 1];
  b[t] = T(0.25) * (l + r) + T(0.5) * a[t] * a[t];
  __syncthreads();
  T *k = a;
  a = b;
  b = k;
}
// bank: x in [n] 0.1:0.9 | y out [n] | n = 48 | m = 4 | @block 48 | @grid 1
ONCE_KERNEL void buffers_swapped_by_a_function(const T *x, T *y, int n, int m) {
  __shared__ T buf[96];
  T *a = buf, *b = buf + 48;
  int t = threadIdx.x;
  a[t] = x[t];
  __syncthreads();
  for (int k = 0; k < m; ++k)
    smooth(a, b, t, n);
  y[t] = a[t] * b[(t + 1) % n];
}

// bank: x in [64] 0.5:1.5 | y out [64] | @block 64 | @grid 1
ONCE_KERNEL void handed_from_warp_to_warp(const T *x, T *y) {
  __shared__ T s[32], r[32];
  int t = threadIdx.x, l = t % 32;
  if (t < 32)
    s[l] = x[l] * x[l + 32];
  __syncthreads();
  if (t >= 32)
    r[l] = sin(s[31 - l]) * x[t];
  __syncthreads();
  y[t] = t < 32 ? r[l] * s[l] : r[31 - l] + s[(l + 3) % 32];
}

// bank: x in [64] 0.5:1.5 | p in perm [64] | y out [64] | @block 64 | @grid 1
ONCE_KERNEL void indices_in_shared_memory(const T *x, const int *p, T *y) {
  __shared__ int at[64];
  __shared__ T s[64];
  int t = threadIdx.x;
  at[t] = p[t];
  s[t] = x[t];
  __syncthreads();
  y[t] = s[at[t]] * s[at[63 - t]] + s[at[at[t]]];
}

// A flag that one thread sets ends two loops.
// bank: x in [32] 0.5:1.5 | y out [32] | @block 32 | @grid 1
ONCE_KERNEL void ended_by_a_shared_flag(const T *x, T *y) {
  __shared__ T s[32];
  __shared__ int stop;
  int t = threadIdx.x;
  s[t] = x[t];
  if (t == 0)
    stop = 0;
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 5; ++j) {
      T v = s[(t + j + 1) % 32];
      __syncthreads();
      s[t] = s[t] * T(0.7) + v * s[t] * T(0.4);
      if (t == 7 && s[t] > T(1.3))
        stop = 1;
      __syncthreads();
      if (stop)
        break;
    }
    if (stop)
      break;
  }
  y[t] = s[t];
}

// bank: x in [3, 21] 0.5:1.5 | y out [3] | @block 21,3 | @grid 1
ONCE_KERNEL void products_of_rows_of_21(const T *x, T *y) {
  __shared__ T s[3][21];
  int tx = threadIdx.x, ty = threadIdx.y;
  s[ty][tx] = x[ty * 21 + tx];
  __syncthreads();
  for (int n = 21; n > 1;) {
    int half = (n + 1) / 2;
    if (tx + half < n)
      s[ty][tx] *= s[ty][tx + half];
    __syncthreads();
    n = half;
  }
  if (tx == 0)
    y[ty] = s[ty][0] + s[(ty + 1) % 3][0];
}

// bank: x in [32] 0:1 | w in [32] 0.5:1.5 | y out [32] | @block 32 | @grid 1
ONCE_KERNEL void bitonic_sort(const T *x, const T *w, T *y) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int k = 2; k <= 32; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int o = t ^ j;
      if (o > t) {
        T a = s[t], b = s[o];
        if ((t & k) == 0 ? a > b : a < b) {
          s[t] = b;
          s[o] = a;
        }
      }
      __syncthreads();
    }
  y[t] = s[t] * w[t];
}

// bank: x in [9, 32] 0.5:1.5 | y out [32] | @block 32 | @grid 1
ONCE_KERNEL void refilled_now_and_then(const T *x, T *y) {
  __shared__ T s[32];
  int t = threadIdx.x;
  T sum = 0;
  for (int k = 0; k < 9; ++k) {
    if (k % 3 == 0) {
      __syncthreads();
      s[t] = x[k * 32 + t] * (sum + T(1));
      __syncthreads();
    }
    sum += s[(t + k) % 32] * x[k * 32 + t] * T(0.3);
  }
  y[t] = sum;
}

// Whole blocks have nothing to do; static and dynamic memory side by side.
// bank: x in [n] 0.5:1.5 | y out [n] | n = 96 | @block 32 | @grid 5 | @shared 256
ONCE_KERNEL void blocks_without_work(const T *x, T *y, int n) {
  extern __shared__ unsigned char mem[];
  T *d = reinterpret_cast<T *>(mem);
  __shared__ T s[32];
  if (blockIdx.x * 32 >= n)
    return;
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  s[t] = x[i];
  __syncthreads();
  d[31 - t] = s[t] * s[(t + 1) % 32];
  __syncthreads();
  y[i] = d[t] + s[31 - t] * d[(t + 2) % 32];
}

// Votes decide how often the block goes on.
// bank: x in [n] 0.5:1.5 | y out [n] | n = 48 | @block 48 | @grid 1
ONCE_KERNEL void rounds_by_count(const T *x, T *y, int n) {
  __shared__ T s[48];
  int t = threadIdx.x;
  T v = x[t];
  for (int round = 0; round < 10; ++round) {
    s[t] = v;
    int large = __syncthreads_count(v > T(1.4));
    if (large > 30)
      break;
    v = v + T(0.3) * s[(t + 1) % 48] * s[(t + 7) % 48];
    __syncthreads();
  }
  y[t] = v;
}

// Some threads take what all have added, and leave something else.
// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 64 | @threads n
ONCE_KERNEL void taken_by_some_threads(const T *x, const T *w, T *y, int n) {
  __shared__ T row[8];
  int t = threadIdx.x, i = thread_index();
  if (t < 8)
    row[t] = 0;
  __syncthreads();
  atomicAdd(&row[(t + 3) & 7], x[i] * w[i]);
  __syncthreads();
  T taken = 1;
  if (t < 8) {
    taken = row[t];
    row[t] = w[i];
  }
  __syncthreads();
  y[i] = taken * row[t & 7];
}
