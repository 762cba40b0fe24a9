// Shared memory that is cut into arrays of several types.
#include "bank.h"

// bank: x in [128] -1:1 | k in i32 [128] 0:32 | y out [128] | m = 32 | @block 32 | @grid 4 | @shared 512
ONCE_KERNEL void numbers_then_indices(const T *x, const int *k, T *y, int m) {
  extern __shared__ double pool[];
  T *a = reinterpret_cast<T *>(pool);
  int *at = reinterpret_cast<int *>(a + m);
  int i = thread_index(), t = threadIdx.x;
  a[t] = x[i] * x[i];
  at[t] = k[i];
  __syncthreads();
  y[i] = sin(a[at[t]]) * a[at[(t + 5) % 32]];
}

// bank: x in f32 [128] -1:1 | w in f32 [128] -1:1 | y out f32 [128] | @block 32 | @grid 4 | @shared 512 | @types f32
PLAIN_KERNEL void three_arrays(const float *x, const float *w, float *y) {
  extern __shared__ __align__(8) char bytes[];
  double *wide = reinterpret_cast<double *>(bytes);
  float *narrow = reinterpret_cast<float *>(wide + blockDim.x);
  int *flags = reinterpret_cast<int *>(narrow + blockDim.x);
  int i = thread_index(), t = threadIdx.x;
  wide[t] = x[i];
  narrow[t] = w[i];
  flags[t] = t % 3;
  __syncthreads();
  float v = static_cast<float>(wide[blockDim.x - 1 - t]) * x[i];
  if (flags[(t + 1) % 32])
    v += static_cast<float>(wide[(t + 7) % 32] * wide[t]);
  y[i] = v + narrow[t ^ 1] * v;
}

template <class T> struct Pool {
  __device__ operator T *() {
    extern __shared__ int words[];
    return reinterpret_cast<T *>(words);
  }
};

// bank: x in [128] -1:1 | y out [4] | @block 32 | @grid 4 | @shared 256
ONCE_KERNEL void pool_of_words(const T *x, T *y) {
  T *sum = Pool<T>();
  int t = threadIdx.x;
  sum[t] = sin(x[thread_index()]);
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step)
      sum[t] += sum[t + step];
    __syncthreads();
  }
  if (t == 0)
    y[blockIdx.x] = sum[0] * sum[0];
}

// The same bytes twice, for one type after the other.
// bank: x in [128] -1:1 | k in i32 [128] 0:32 | y out [128] | @block 32 | @grid 4 | @shared 256
ONCE_KERNEL void used_again(const T *x, const int *k, T *y) {
  extern __shared__ double again[];
  T *a = reinterpret_cast<T *>(again);
  int i = thread_index(), t = threadIdx.x;
  a[t] = x[i] * x[i];
  __syncthreads();
  T v = a[t ^ 3];
  __syncthreads();
  int *at = reinterpret_cast<int *>(again);
  at[t] = k[i];
  __syncthreads();
  y[i] = v * x[blockIdx.x * 32 + at[31 - t]];
}

template <class T> struct Tile {
  T first[32];
  int at[32];
  T second[32];
};

// bank: x in [128] -1:1 | k in i32 [128] 0:32 | y out [128] | @block 32 | @grid 4
ONCE_KERNEL void struct_of_arrays(const T *x, const int *k, T *y) {
  __shared__ Tile<T> s;
  int i = thread_index(), t = threadIdx.x;
  s.first[t] = x[i];
  s.at[t] = k[i];
  s.second[t] = x[i] * x[i];
  __syncthreads();
  y[i] = s.first[s.at[t] & 31] * s.second[t ^ 1];
}

template <class T> struct Candidate {
  T value;
  int at;
};

// The largest and where it is, by halves.
// bank: x in [128] -1:1 | w in [32] -1:1 | y out [128] | @block 32 | @grid 4
ONCE_KERNEL void largest_candidate(const T *x, const T *w, T *y) {
  __shared__ Candidate<T> best[32];
  int i = thread_index(), t = threadIdx.x;
  best[t] = {x[i] * x[i], t};
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) {
    if (t < step && best[t + step].value > best[t].value)
      best[t] = best[t + step];
    __syncthreads();
  }
  y[i] = best[0].value * w[best[0].at] + x[i];
}

// bank: x in f16 [128] -1:1 | z in f16 [128] -1:1 | y out f16 [128] | @block 32 | @grid 4 | @shared 256 | @types f16
PLAIN_KERNEL void halves_and_floats(const __half *x, const __half *z, __half *y) {
  extern __shared__ unsigned char mixed[];
  __half *a = reinterpret_cast<__half *>(mixed);
  float *b = reinterpret_cast<float *>(mixed + 2 * blockDim.x);
  int i = thread_index(), t = threadIdx.x;
  a[t] = x[i];
  b[t] = __half2float(z[i]);
  __syncthreads();
  y[i] = __float2half(__half2float(a[blockDim.x - 1 - t]) * b[t ^ 1]);
}

// Two names of the same bytes, one after the other.
__device__ double weighted_sines(const double *weights, const double *x, int n) {
  double sum = 0;
  for (int j = 0; j < n; ++j)
    sum += weights[j] * sin(x[j] * x[threadIdx.x]);
  return sum;
}
__device__ double sum_of_products(const int *indices, const double *x, int n) {
  double sum = 0;
  for (int j = 0; j < n; ++j)
    sum += x[indices[j]] * x[threadIdx.x];
  return sum;
}

// bank: x in f64 [32] -1:1 | w in f64 [32] -1:1 nodiff | perm in i32 [32] 0:32 | y out f64 [32] | n = 32 | @block 32
// bank: @shared 256 | @types f64
PLAIN_KERNEL void numbers_or_indices(const double *x, [[kernix::no_diff]] const double *w, const int *perm, double *y,
                                     int n) {
  extern __shared__ int indices[];
  extern __shared__ double weights[];
  int t = threadIdx.x;
  weights[t] = w[t];
  __syncthreads();
  const double s = weighted_sines(weights, x, n);
  __syncthreads();
  indices[t] = perm[t];
  __syncthreads();
  y[t] = s + sum_of_products(indices, x, n);
}

// The other way round.
// bank: x in f64 [32] -1:1 | w in f64 [32] -1:1 nodiff | perm in i32 [32] 0:32 | y out f64 [32] | n = 32 | @block 32
// bank: @shared 256 | @types f64
PLAIN_KERNEL void indices_or_numbers(const double *x, [[kernix::no_diff]] const double *w, const int *perm, double *y,
                                     int n) {
  extern __shared__ int indices[];
  extern __shared__ double weights[];
  int t = threadIdx.x;
  indices[t] = perm[t];
  __syncthreads();
  const double s = sum_of_products(indices, x, n);
  __syncthreads();
  weights[t] = w[t];
  __syncthreads();
  y[t] = s + weighted_sines(weights, x, n);
}

// The same behind each other: what one name leaves free is another's.
// bank: x in f32 [64] -1:1 | k in i32 [64] 0:32 | y out f32 [64] | @block 32 | @grid 2 | @shared 256 | @types f32
PLAIN_KERNEL void two_names(const float *x, const int *k, float *y) {
  extern __shared__ float numbers[];
  extern __shared__ int words[];
  int i = thread_index(), t = threadIdx.x;
  numbers[t] = x[i];
  words[32 + t] = k[i];
  __syncthreads();
  y[i] = numbers[words[32 + t]] * sinf(x[i]);
}
