// Dynamic shared memory, and cooperative groups.
#include "bank.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

/// `extern __shared__ T s[]` of two types would be one variable declared twice.
template <class T> __device__ T *dynamic_memory() {
  extern __shared__ char pool[];
  return reinterpret_cast<T *>(pool);
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 32 | @grid 2 | @shared 256
KERNEL void dynamic_tile(const T *x, T *y, int n) {
  T *s = dynamic_memory<T>();
  int i = thread_index(), t = threadIdx.x;
  s[t] = x[i] * x[i];
  __syncthreads();
  y[i] = s[t] * s[31 - t];
}

// bank: x in [n] -1:1 | z in [n] -1:1 | y out [n] | n = 32 | @block 32 | @grid 1 | @shared 512
KERNEL void two_arrays_in_dynamic_memory(const T *x, const T *z, T *y, int n) {
  T *a = dynamic_memory<T>(), *b = a + blockDim.x;
  int t = threadIdx.x;
  a[t] = x[t];
  b[t] = z[t] * z[t];
  __syncthreads();
  y[t] = a[31 - t] * b[(t + 1) % 32];
}

// bank: x in [n] -1:1 | y out [1] | n = 32 | @block 32 | @grid 1 | @shared 256
ONCE_KERNEL void dynamic_tree_product(const T *x, T *y, int n) {
  T *s = dynamic_memory<T>();
  int t = threadIdx.x;
  s[t] = 1 + x[t] / 10;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step)
      s[t] *= s[t + step];
    __syncthreads();
  }
  if (t == 0)
    y[0] = s[0];
}

// bank: x in [n] -1:1 | w in [3] -1:1 | y out [n] | n = 40 | @block 16 | @grid 3 | @shared 512
KERNEL void dynamic_halo(const T *x, const T *w, T *y, int n) {
  T *s = dynamic_memory<T>();
  int first = blockIdx.x * blockDim.x - 1;
  for (int k = threadIdx.x; k < blockDim.x + 2; k += blockDim.x)
    s[k] = first + k >= 0 && first + k < n ? x[first + k] : T(0);
  __syncthreads();
  int i = thread_index();
  if (i < n)
    y[i] = sin(w[0] * s[threadIdx.x] + w[1] * s[threadIdx.x + 1] + w[2] * s[threadIdx.x + 2]);
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
KERNEL void groups_block_and_tile(const T *x, T *y, int n) {
  __shared__ T s[64];
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int t = block.thread_rank();
  s[t] = x[t] * x[t];
  block.sync();
  T v = s[63 - t];
  for (int k = tile.size() / 2; k > 0; k /= 2)
    v += tile.shfl_down(v, k);
  v = tile.shfl(v, 0);
  y[t] = v * x[t];
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
KERNEL void groups_tile_scan(const T *x, T *y, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x;
  T v = sin(x[t]);
  for (unsigned k = 1; k < tile.size(); k *= 2) {
    T before = tile.shfl_up(v, k);
    if (tile.thread_rank() >= k)
      v += before;
  }
  y[t] = v * v;
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
KERNEL void groups_exchange(const T *x, T *y, int n) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int t = threadIdx.x;
  T v = x[t] * x[t];
  for (int k = 4; k > 0; k /= 2)
    v += tile.shfl_xor(v, k) * x[t];
  y[t] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 32 | @block 32 | @grid 1
KERNEL void groups_tile_sync(const T *x, T *y, int n) {
  __shared__ T s[32];
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x;
  s[t] = x[t];
  tile.sync();
  T v = s[31 - t] * x[t];
  tile.sync();
  s[t] = v;
  tile.sync();
  y[t] = s[(t + 1) % 32];
}

// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 64 | @grid 1
KERNEL void groups_reduce(const T *x, T *y, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x;
  T sum = cg::reduce(tile, x[t] * x[t], cg::plus<T>());
  y[t] = x[t] / sqrt(sum + T(0.1));
}
