// Shared memory, barriers and warp functions: who comes where, and what cannot be found again.
#include "../kernels/bank.h"

PLAIN_KERNEL void barrier_for_some(const float *x, float *y, int n) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < 16)
    // refused: different ways
    __syncthreads();
  y[t] = s[31 - t] * x[t];
}

PLAIN_KERNEL void barrier_in_loop_of_each(const float *x, const int *count, float *y, int n) {
  __shared__ float s[32];
  int t = threadIdx.x;
  float v = x[t];
  for (int k = 0; k < count[t]; ++k) {
    s[t] = v;
    // refused: different ways
    __syncthreads();
    v = v * s[31 - t];
    __syncthreads();
  }
  y[t] = v;
}

PLAIN_KERNEL void shuffle_for_some(const float *x, float *y, int n) {
  int t = threadIdx.x;
  float v = x[t];
  if (v > 0)
    // refused: different ways
    v += __shfl_xor_sync(0xffffffffu, v, 1);
  y[t] = v;
}

PLAIN_KERNEL void shuffle_in_loop_of_each(const float *x, const int *count, float *y, int n) {
  int t = threadIdx.x;
  float v = x[t];
  for (int k = 0; k < count[t]; ++k)
    // refused: different ways
    v = v + 0.5f * __shfl_down_sync(0xffffffffu, v, 1);
  y[t] = v;
}

// What was stored before is read by the others, so these threads cannot be left out.
PLAIN_KERNEL void returns_after_storing(const float *x, float *y, int n) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t >= n)
    return;
  // refused: different ways
  __syncthreads();
  y[t] = s[31 - t];
}

PLAIN_KERNEL void shared_maximum_by_atomic(const float *x, float *y, int n) {
  __shared__ int largest;
  int t = threadIdx.x;
  if (t == 0)
    largest = 0;
  __syncthreads();
  // refused: atomic|bits
  atomicMax(&largest, __float_as_int(x[t]));
  __syncthreads();
  y[t] = __int_as_float(largest) * x[t];
}

PLAIN_KERNEL void order_of_an_atomic(const float *x, float *y, int n) {
  __shared__ int next;
  __shared__ float s[32];
  int t = threadIdx.x;
  if (t == 0)
    next = 0;
  __syncthreads();
  // refused: atomic
  int slot = atomicAdd(&next, 1);
  s[slot] = x[t];
  __syncthreads();
  y[t] = s[t] * x[t];
}

PLAIN_KERNEL void too_large_with_its_shadow(const float *x, float *y, int n) {
  __shared__ float s[8000];
  int t = threadIdx.x;
  // refused: 32000 bytes and their derivatives 32000, more than the 49152
  s[t] = x[t];
  __syncthreads();
  y[t] = s[31 - t];
}

PLAIN_KERNEL void sums_kept_over_iterations(const float *x, const int *bin, float *y, int n) {
  __shared__ float sums[32];
  int t = threadIdx.x;
  float v = x[t];
  sums[t] = 0;
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    // refused: cannot be undone
    atomicAdd(&sums[(bin[t] + k) % 32], v);
    __syncthreads();
    v = v * sums[t];
    __syncthreads();
  }
  y[t] = v;
}

PLAIN_KERNEL void sum_that_grows(const float *x, float *y, int n) {
  __shared__ float sum;
  int t = threadIdx.x;
  if (t == 0)
    sum = 0;
  __syncthreads();
  float v = 0;
  for (int k = 0; k < n; ++k) {
    // refused: cannot be undone; in each iteration let a thread store to the element before it adds to it
    atomicAdd(&sum, x[32 * k + t]);
    __syncthreads();
    v += sinf(sum);
    __syncthreads();
  }
  y[t] = v;
}

PLAIN_KERNEL void sums_of_one_thread_cleared(const float *x, float *y, int n) {
  __shared__ float sums[32];
  int t = threadIdx.x;
  sums[t] = 0;
  __syncthreads();
  float v = 0;
  for (int k = 0; k < n; ++k) {
    if (t == 0)
      sums[t] = 0;
    // refused: cannot be undone
    atomicAdd(&sums[t], x[32 * k + t]);
    __syncthreads();
    v += sinf(sums[31 - t]);
    __syncthreads();
  }
  y[t] = v;
}

PLAIN_KERNEL void sum_cleared_if_asked(const float *x, float *y, int n, int clears) {
  __shared__ float sum;
  int t = threadIdx.x;
  if (t == 0)
    sum = 0;
  __syncthreads();
  float v = 0;
  for (int k = 0; k < n; ++k) {
    if (t == clears)
      sum = 0;
    __syncthreads();
    // refused: cannot be undone
    atomicAdd(&sum, x[32 * k + t]);
    __syncthreads();
    v += sinf(sum);
    __syncthreads();
  }
  y[t] = v;
}

PLAIN_KERNEL void sum_cleared_by_the_outer_loop(const float *x, float *y, int n) {
  __shared__ float sum;
  int t = threadIdx.x;
  float v = 0;
  for (int k = 0; k < n; ++k) {
    sum = 0;
    __syncthreads();
    for (int j = 0; j < n; ++j) {
      // refused: cannot be undone
      atomicAdd(&sum, x[32 * k + t] * j);
      __syncthreads();
      v += sinf(sum);
      __syncthreads();
    }
  }
  y[t] = v;
}

// Of integers that have more bytes than what is kept of a store.
PLAIN_KERNEL void wide_integers(const float *x, float *y, int m) {
  __shared__ __int128 s[32];
  int t = threadIdx.x;
  // refused: writes more bytes than can be undone
  s[t] = t;
  __syncthreads();
  float v = x[t];
  for (int k = 0; k < m; ++k) {
    int a = static_cast<int>(s[(t + 1) % 32] % 32);
    v = v * x[a];
    __syncthreads();
    // refused: writes more bytes than can be undone
    s[t] = s[t] * 3 + 1;
    __syncthreads();
  }
  y[t] = v;
}
