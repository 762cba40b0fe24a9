// Shared memory and arrays of a thread's own whose elements have 16 bits in two of four instances: their adjoints are
// sums in float.
#include "bank.h"

#if !defined(BANK_SECOND) && !defined(BANK_PRIMAL_ONLY)
#undef KERNEL
#define KERNEL                                                                                                         \
  template <class T>                                                                                                   \
  [[kernix::bind, kernix::differentiable,                                                                              \
    kernix::instantiate("float", "double", "__half", "__nv_bfloat16")]] __global__
#endif

// bank: w in [8] 0.5:1.5 | x in [n] 0.5:1.5 | at in i32 [n] 0:8 | y out [n] | n = 700 | @block 128 | @grid 6
// bank: @types f64 f32 f16 bf16 | @float_tol 5e-2
KERNEL void halves_gathered(const T *w, const T *x, const int *at, T *y, int n) {
  __shared__ T tile[8];
  int t = threadIdx.x, i = thread_index();
  if (t < 8)
    tile[t] = w[t] * w[t];
  __syncthreads();
  if (i < n)
    y[i] = tile[at[i]] * x[i];
}

// All threads read one element in each iteration.
// bank: w in [32] 0.5:1.5 | x in [n] 0.5:1.5 | y out [n] | n = 256 | @block 64 | @grid 4 | @types f64 f32 f16 bf16
// bank: @float_tol 5e-2
KERNEL void halves_of_all(const T *w, const T *x, T *y, int n) {
  __shared__ T tile[32];
  int t = threadIdx.x, i = thread_index();
  if (t < 32)
    tile[t] = w[t];
  __syncthreads();
  T sum = T(0.f);
  for (int k = 0; k < 32; ++k)
    sum += tile[k] * x[i] * T(0.125f);
  y[i] = sum;
}

// Steps in place: the adjoint of a value is taken when it is overwritten.
// bank: x in [64] 0.5:1.5 | a in [64] 0.2:0.8 | y out [64] | @block 64 | @grid 1 | @types f64 f32 f16 bf16
// bank: @float_tol 6e-2
ONCE_KERNEL void halves_in_place(const T *x, const T *a, T *y) {
  __shared__ T v[64];
  int t = threadIdx.x;
  v[t] = x[t];
  __syncthreads();
  for (int step = 0; step < 3; ++step) {
    T next = v[t] * a[t] + v[(t + 5) % 64] * (T(1.f) - a[t]);
    __syncthreads();
    v[t] = next * next;
    __syncthreads();
  }
  y[t] = v[t];
}

// A stencil whose loads take turns.
// bank: x in [256] 0.5:1.5 | c in [5] 0.1:0.3 | y out [256] | @block 64 | @grid 4 | @types f64 f32 f16 bf16
// bank: @float_tol 5e-2
KERNEL void halves_of_neighbours(const T *x, const T *c, T *y) {
  __shared__ T v[68];
  int t = threadIdx.x, i = thread_index();
  v[t + 2] = x[i];
  if (t < 2) {
    v[t] = x[t];
    v[t + 66] = x[255 - t];
  }
  __syncthreads();
  y[i] = v[t] * c[0] + v[t + 1] * c[1] + v[t + 2] * c[2] + v[t + 3] * c[3] + v[t + 4] * c[4];
}

// Tiles of a product, in blocks of a known size.
// bank: a in [32, 32] 0.5:1.5 | b in [32, 32] 0.5:1.5 | c out [32, 32] | n = 32 | @block 16,16 | @grid 2,2
// bank: @types f64 f32 f16 bf16 | @float_tol 6e-2
KERNEL void halves_of_tiles [[kernix::block(16, 16)]] (const T *a, const T *b, T *c, int n) {
  __shared__ T left[16][16], right[16][17];
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  T sum = T(0.f);
  for (int k = 0; k < n; k += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int t = 0; t < 16; ++t)
      sum += left[threadIdx.y][t] * right[t][threadIdx.x] * T(0.125f);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

template <class T> struct Cells {
  T v[3], w;
};

// Structs of four numbers, copied as a whole, and a pointer that moves through them.
// bank: x in [64] 0.5:1.5 | z in [64] 0.5:1.5 | y out [64] | @block 16 | @grid 4 | @types f64 f32 f16 bf16
// bank: @float_tol 6e-2
KERNEL void halves_in_structs(const T *x, const T *z, T *y) {
  __shared__ Cells<T> cells[2][16];
  int t = threadIdx.x, i = thread_index();
  cells[0][t] = {{x[i], z[i], x[i] * z[i]}, x[i] + z[i]};
  __syncthreads();
  cells[1][t] = cells[0][(t + 3) % 16];
  __syncthreads();
  T sum = T(0.f);
  const T *p = cells[1][(t + i) % 16].v;
  for (int k = 0; k < 3; ++k, ++p)
    sum += *p * cells[k % 2][t].w;
  y[i] = sum;
}

// The kernel's own additions in shared memory.
// bank: x in [128] 0.5:1.5 | at in i32 [128] 0:4 | y out [128] | @block 32 | @grid 4 | @types f64 f32 f16 bf16
// bank: @float_tol 6e-2
KERNEL void halves_added(const T *x, const int *at, T *y) {
  __shared__ T sums[4];
  int t = threadIdx.x, i = thread_index();
  if (t < 4)
    sums[t] = T(0.f);
  __syncthreads();
  atomicAdd(&sums[at[i]], x[i] * T(0.125f));
  __syncthreads();
  y[i] = sums[at[i]] * sums[t % 4] * x[i];
}

// An array of the thread's own with an index that is read, and one of structs with integers between the numbers.
template <class T> struct Marked {
  int count;
  T v[3];
  float scale;
};

// bank: x in [40, 4] 0.5:1.5 | at in i32 [40] 0:4 | y out [40] | n = 40 | m = 40 | @types f64 f32 f16 bf16
// bank: @float_tol 6e-2
KERNEL void halves_of_own(const T *x, const int *at, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T own[4];
  Marked<T> marked[2];
  for (int k = 0; k < 4; ++k)
    own[k] = x[i * 4 + k] * x[i * 4 + 3 - k];
  for (int k = 0; k < 2; ++k) {
    marked[k].count = k + 1;
    marked[k].scale = 0.25f * static_cast<float>(k + 1);
    for (int c = 0; c < 3; ++c)
      marked[k].v[c] = x[i * 4 + c + k];
  }
  T sum = T(0.f);
  for (int k = 0; k < m; ++k) {
    const Marked<T> &here = marked[at[k] % 2];
    sum += own[at[k]] * here.v[(k + i) % 3] * T(here.scale) * T(static_cast<float>(here.count)) * T(0.125f);
  }
  y[i] = sum;
}

// bank: x in f16 [64, 2] 0.5:1.5 | at in i32 [64] 0:32 | y out f16 [64, 2] | @block 32 | @grid 2 | @types f16
PLAIN_KERNEL void pairs_of_halves(const __half2 *x, const int *at, __half2 *y) {
  __shared__ __half2 tile[32];
  int t = threadIdx.x, i = thread_index();
  tile[t] = x[i];
  __syncthreads();
  __half2 v = __hmul2(tile[at[i]], tile[t]);
  y[i] = __hadd2(v, __lowhigh2highlow(tile[31 - t]));
}

// Words of two numbers, and words that begin in the middle of one.
// bank: x in bf16 [64] 0.5:1.5 | at in i32 [32] 0:32 | y out bf16 [64] | @block 32 | @grid 1 | @types bf16
PLAIN_KERNEL void words_of_bfloats(const __nv_bfloat16 *x, const int *at, __nv_bfloat16 *y) {
  __shared__ __nv_bfloat162 tile[32];
  int t = threadIdx.x;
  reinterpret_cast<unsigned *>(tile)[t] = reinterpret_cast<const unsigned *>(x)[t];
  __syncthreads();
  unsigned here = reinterpret_cast<const unsigned *>(tile)[at[t]], next = reinterpret_cast<const unsigned *>(tile)[t];
  reinterpret_cast<unsigned *>(y)[t] = here >> 16 | next << 16;
}

// Eight numbers at a time.
// bank: x in f16 [256] 0.5:1.5 | y out f16 [256] | @block 32 | @grid 1 | @types f16
PLAIN_KERNEL void vectors_of_halves(const __half *x, __half *y) {
  __shared__ __align__(16) __half tile[256];
  int t = threadIdx.x;
  reinterpret_cast<uint4 *>(tile)[t] = reinterpret_cast<const uint4 *>(x)[t];
  __syncthreads();
  for (int k = 0; k < 8; ++k)
    y[t * 8 + k] = tile[t + 32 * k] * tile[255 - t * 8 - k];
}
