// Reductions, scans and rows of a block, through shared memory.
#include "bank.h"

// bank: x in [n] -1:1 | y out [2] | n = 64 | @block 32 | @grid 2
KERNEL void tree_sum(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[thread_index()] * x[thread_index()];
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step)
      s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0)
    y[blockIdx.x] = s[0];
}

// bank: x in [n] -1:1 | y out [2] | n = 50 | @block 32 | @grid 2
KERNEL void tree_sum_guarded(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x, i = thread_index();
  s[t] = i < n ? sin(x[i]) : T(0);
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) {
    if (t < step)
      s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0)
    y[blockIdx.x] = s[0] * s[0];
}

// bank: x in [n] -1:1 | y out [1] | n = 32 | @block 32 | @grid 1
KERNEL void interleaved_sum(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t] * x[t];
  __syncthreads();
  for (int step = 1; step < n; step *= 2) {
    if (t % (2 * step) == 0)
      s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0)
    y[0] = exp(s[0] / 10);
}

// bank: x in [n] 0.5:1.5 | y out [1] | n = 32 | @block 32 | @grid 1
ONCE_KERNEL void tree_product(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step)
      s[t] *= s[t + step];
    __syncthreads();
  }
  if (t == 0)
    y[0] = s[0];
}

// bank: x in [n] -1:1 | y out [1] | n = 32 | @block 32 | @grid 1
ONCE_KERNEL void tree_maximum(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step)
      s[t] = fmax(s[t], s[t + step]);
    __syncthreads();
  }
  if (t == 0)
    y[0] = s[0] * s[0];
}

// bank: x in [rows, m] -1:1 | y out [rows, m] | rows = 3 | m = 32 | @block 32 | @grid 3
KERNEL void softmax_block(const T *x, T *y, int rows, int m) {
  __shared__ T s[32];
  int t = threadIdx.x;
  T v = x[blockIdx.x * m + t];
  s[t] = v;
  __syncthreads();
  for (int step = 16; step > 0; step >>= 1) {
    if (t < step)
      s[t] = fmax(s[t], s[t + step]);
    __syncthreads();
  }
  T largest = s[0];
  __syncthreads();
  T e = exp(v - largest);
  s[t] = e;
  __syncthreads();
  for (int step = 16; step > 0; step >>= 1) {
    if (t < step)
      s[t] += s[t + step];
    __syncthreads();
  }
  y[blockIdx.x * m + t] = e / s[0];
}

// bank: x in [rows, m] -1:1 | y out [rows, m] | rows = 2 | m = 50 | @block 16 | @grid 2
ONCE_KERNEL void softmax_long_row(const T *x, T *y, int rows, int m) {
  __shared__ T s[16];
  int t = threadIdx.x;
  const T *row = x + blockIdx.x * m;
  T largest = T(-1e30);
  for (int k = t; k < m; k += blockDim.x)
    largest = fmax(largest, row[k]);
  s[t] = largest;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step)
      s[t] = fmax(s[t], s[t + step]);
    __syncthreads();
  }
  largest = s[0];
  __syncthreads();
  T sum = 0;
  for (int k = t; k < m; k += blockDim.x)
    sum += exp(row[k] - largest);
  s[t] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step)
      s[t] += s[t + step];
    __syncthreads();
  }
  sum = s[0];
  for (int k = t; k < m; k += blockDim.x)
    y[blockIdx.x * m + k] = exp(row[k] - largest) / sum;
}

// bank: x in [rows, m] -1:1 | g in [m] 0.5:1.5 | b in [m] -1:1 | y out [rows, m] | rows = 3 | m = 32 | @block 32
// bank: @grid 3
KERNEL void layer_norm_block(const T *x, const T *g, const T *b, T *y, int rows, int m) {
  __shared__ T s[32], q[32];
  int t = threadIdx.x;
  T v = x[blockIdx.x * m + t];
  s[t] = v;
  q[t] = v * v;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step) {
      s[t] += s[t + step];
      q[t] += q[t + step];
    }
    __syncthreads();
  }
  T mean = s[0] / m, variance = q[0] / m - mean * mean;
  y[blockIdx.x * m + t] = (v - mean) * rsqrt(variance + T(1e-3)) * g[t] + b[t];
}

// bank: x in [rows, m] -1:1 | g in [m] 0.5:1.5 | y out [rows, m] | rows = 2 | m = 40 | @block 16 | @grid 2
KERNEL void layer_norm_two_passes(const T *x, const T *g, T *y, int rows, int m) {
  __shared__ T s[16];
  __shared__ T mean;
  int t = threadIdx.x;
  T sum = 0;
  for (int k = t; k < m; k += blockDim.x)
    sum += x[blockIdx.x * m + k];
  s[t] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step)
      s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0)
    mean = s[0] / m;
  __syncthreads();
  T squares = 0;
  for (int k = t; k < m; k += blockDim.x) {
    T d = x[blockIdx.x * m + k] - mean;
    squares += d * d;
  }
  s[t] = squares;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step)
      s[t] += s[t + step];
    __syncthreads();
  }
  for (int k = t; k < m; k += blockDim.x)
    y[blockIdx.x * m + k] = (x[blockIdx.x * m + k] - mean) / sqrt(s[0] / m + T(1e-3)) * g[k];
}

// bank: x in [n] -1:1 | y out [n] | n = 32 | @block 32 | @grid 1
KERNEL void scan_by_doubling(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t] * x[t];
  __syncthreads();
  for (int step = 1; step < n; step *= 2) {
    T before = t >= step ? s[t - step] : T(0);
    __syncthreads();
    s[t] += before;
    __syncthreads();
  }
  y[t] = sin(s[t]);
}

// bank: x in [n] 0.5:1.5 | y out [n] | n = 16 | @block 16 | @grid 1
ONCE_KERNEL void scan_of_products(const T *x, T *y, int n) {
  __shared__ T s[16];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int step = 1; step < n; step *= 2) {
    T before = t >= step ? s[t - step] : T(1);
    __syncthreads();
    s[t] *= before;
    __syncthreads();
  }
  y[t] = s[t];
}

// bank: x in [n] -1:1 | y out [n] | n = 32 | @block 32 | @grid 1
ONCE_KERNEL void scan_with_two_buffers(const T *x, T *y, int n) {
  __shared__ T s[2][32];
  int t = threadIdx.x, out = 0;
  s[0][t] = x[t];
  __syncthreads();
  for (int step = 1; step < n; step *= 2) {
    out = 1 - out;
    s[out][t] = t >= step ? s[1 - out][t] + s[1 - out][t - step] : s[1 - out][t];
    __syncthreads();
  }
  y[t] = s[out][t] * x[t];
}

// bank: x in [n] -1:1 | y out [n] | n = 16 | @block 8 | @grid 1
ONCE_KERNEL void scan_up_and_down(const T *x, T *y, int n) {
  __shared__ T s[16];
  int t = threadIdx.x, offset = 1;
  s[2 * t] = x[2 * t];
  s[2 * t + 1] = x[2 * t + 1];
  for (int d = n / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0)
    s[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      T left = s[offset * (2 * t + 1) - 1];
      s[offset * (2 * t + 1) - 1] = s[offset * (2 * t + 2) - 1];
      s[offset * (2 * t + 2) - 1] += left;
    }
  }
  __syncthreads();
  y[2 * t] = s[2 * t] * x[2 * t];
  y[2 * t + 1] = s[2 * t + 1];
}

// bank: x in [n] -1:1 | bin in i32 [n] 0:8 | y out [8] | n = 64 | @block 64 | @grid 1
KERNEL void histogram(const T *x, const int *bin, T *y, int n) {
  __shared__ T sums[8];
  int t = threadIdx.x;
  if (t < 8)
    sums[t] = 0;
  __syncthreads();
  atomicAdd(&sums[bin[t]], x[t] * x[t]);
  __syncthreads();
  if (t < 8)
    y[t] = sums[t] * sums[t];
}

// bank: x in [n] -1:1 | bin in i32 [n] 0:8 | y inout [8] | n = 90 | @block 32 | @grid 2
ONCE_KERNEL void histogram_of_grid(const T *x, const int *bin, T *y, int n) {
  __shared__ T sums[8];
  for (int k = threadIdx.x; k < 8; k += blockDim.x)
    sums[k] = 0;
  __syncthreads();
  for (int i = thread_index(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&sums[bin[i]], sin(x[i]));
  __syncthreads();
  for (int k = threadIdx.x; k < 8; k += blockDim.x)
    atomicAdd(&y[k], sums[k]);
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 32 | @grid 2
KERNEL void normalised_by_sum(const T *x, T *y, int n) {
  __shared__ T sum;
  int i = thread_index();
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, x[i] * x[i]);
  __syncthreads();
  y[i] = x[i] / sqrt(sum + T(0.1));
}

// bank: x in [rows, m] -1:1 | y out [rows, m] | rows = 4 | m = 32 | @block 32 | @grid 1
ONCE_KERNEL void rows_one_after_another(const T *x, T *y, int rows, int m) {
  __shared__ T s[32];
  int t = threadIdx.x;
  for (int r = 0; r < rows; ++r) {
    s[t] = x[r * m + t] * x[r * m + t];
    __syncthreads();
    for (int step = 16; step > 0; step >>= 1) {
      if (t < step)
        s[t] += s[t + step];
      __syncthreads();
    }
    y[r * 32 + t] = x[r * m + t] / sqrt(s[0] + T(0.1));
    __syncthreads();
  }
}

// bank: x in [n] -1:1 | y out [1] | n = 100 | @block 32 | @grid 1
KERNEL void sum_of_many(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  T sum = 0;
  for (int k = t; k < n; k += blockDim.x)
    sum += x[k] * sin(x[k]);
  s[t] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step)
      s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0)
    y[0] = s[0];
}

// One thread walks along what the others have staged.
// bank: x in [n] -1:1 | y out [n] | n = 16 | @block 16 | @grid 1
ONCE_KERNEL void recurrence_by_one_thread(const T *x, T *y, int n) {
  __shared__ T s[16];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t == 0)
    for (int k = 1; k < n; ++k)
      s[k] = s[k] + T(0.5) * s[k - 1] * s[k - 1];
  __syncthreads();
  y[t] = s[t];
}

// bank: x in [n] -1:1 | y out [n] | n = 32 | @block 32 | @grid 1
KERNEL void counted_by_barrier(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  int positive = __syncthreads_count(x[t] > 0);
  y[t] = s[31 - t] * s[t] / (positive + 1);
}

// bank: x in [n] 0.1:1 | y out [n] | n = 32 | @block 32 | @grid 1
KERNEL void until_all_are_large(const T *x, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  T v = x[t];
  for (int k = 0; k < 10; ++k) {
    s[t] = v;
    __syncthreads();
    v = v + T(0.5) * s[(t + 1) % 32] * v;
    if (__syncthreads_and(v > T(0.6)))
      break;
  }
  y[t] = v;
}
