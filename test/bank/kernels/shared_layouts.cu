// Shared arrays that change their layout, their contents and their owners.
#include "bank.h"

// Two arrays of different sizes in one dynamic buffer.
// bank: x in [n] -1:1 | y out [n] | n = 96 | @block 32 | @grid 3 | @shared 2048
ONCE_KERNEL void two_in_dynamic(const T *x, T *y, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  T *a = reinterpret_cast<T *>(raw), *b = a + blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  a[t] = i < n ? x[i] : T(0);
  b[blockDim.x - 1 - t] = a[t] * a[t];
  __syncthreads();
  if (i < n)
    y[i] = a[(t + 1) % blockDim.x] * b[t] + b[(t * 7) % blockDim.x];
}

// bank: x in [n] -1:1 | y out [n] | n = 96 | @block 32 | @grid 3
ONCE_KERNEL void conditional_overwrite(const T *x, T *y, int n) {
  __shared__ T s[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  s[t] = x[i];
  __syncthreads();
  T v = s[31 - t];
  __syncthreads();
  if (v > 0)
    s[31 - t] = v * v;
  __syncthreads();
  y[i] = s[t] * s[(t + 1) % 32];
}

// bank: x in [n] -1:1 | y out [n] | n = 32 | m = 12 | @block 32 | @grid 1
ONCE_KERNEL void circular_buffer(const T *x, T *y, int n, int m) {
  __shared__ T ring[4][33];
  int t = threadIdx.x;
  T v = x[t], sum = 0;
  for (int k = 0; k < m; ++k) {
    ring[k & 3][t] = v;
    __syncthreads();
    sum += ring[k & 3][(t + 1) % 32] * (k >= 3 ? ring[(k - 3) & 3][t] : T(1));
    v = T(0.5) * v + T(0.3) * ring[k & 3][31 - t];
    __syncthreads();
  }
  y[t] = sum + v;
}

// The pointer to shared memory is changed in the loop.
// bank: x in [n] -1:1 | y out [n] | n = 32 | m = 9 | @block 32 | @grid 1
ONCE_KERNEL void swapped_shared_pointers(const T *x, T *y, int n, int m) {
  __shared__ T a[32], b[32];
  T *from = a, *to = b;
  int t = threadIdx.x;
  from[t] = x[t];
  __syncthreads();
  for (int k = 0; k < m; ++k) {
    to[t] = T(0.5) * from[t] + from[(t + 1) % 32] * from[(t + 31) % 32];
    __syncthreads();
    T *o = from;
    from = to;
    to = o;
  }
  y[t] = from[t];
}

// A union's memory used first for one array, then for another, of one type.
// bank: x in [n] -1:1 | y out [n] | n = 64 | @block 32 | @grid 2
ONCE_KERNEL void reused_by_union(const T *x, T *y, int n) {
  union Memory {
    T row[64];
    T table[8][8];
    __device__ Memory() {}
  };
  __shared__ Memory m;
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  m.row[t] = x[i];
  m.row[t + 32] = x[i] * x[i];
  __syncthreads();
  T v = m.row[(t * 2) % 64];
  __syncthreads();
  m.table[t % 8][t / 8] = v * v;
  m.table[t % 8][t / 8 + 4] = v;
  __syncthreads();
  y[i] = m.table[t / 4][t % 4] * m.table[t % 8][4 + t / 8];
}

// bank: x in [n] -1:1 | y out [n] | n = 96 | @block 32 | @grid 3
ONCE_KERNEL void partly_initialised(const T *x, T *y, int n) {
  __shared__ T s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  if (t % 2 == 0)
    s[t] = x[i];
  __syncthreads();
  y[i] = s[t & ~1] * s[(t ^ 6) & ~1] + x[i];
}

// bank: x in [n] -1:1 | f in i32 [n] 0:2 | y out [n] | n = 128 | @block 128 | @grid 1
ONCE_KERNEL void compaction_by_ballot(const T *x, const int *f, T *y, int n) {
  __shared__ int counts[4];
  __shared__ T kept[128];
  int t = threadIdx.x, w = t / 32;
  bool keep = f[t];
  unsigned m = __ballot_sync(~0u, keep);
  if (lane() == 0)
    counts[w] = __popc(m);
  kept[t] = T(0.5);
  __syncthreads();
  int base = 0;
  for (int k = 0; k < w; ++k)
    base += counts[k];
  if (keep)
    kept[base + __popc(m & ((1u << lane()) - 1))] = x[t] * x[t];
  __syncthreads();
  y[t] = kept[t] * x[t];
}

// A barrier in a loop whose trip count comes from shared memory.
// bank: x in [n] -1:1 | c in i32 [2] 2:6 | y out [n] | n = 64 | @block 32 | @grid 2
ONCE_KERNEL void trips_from_shared_memory(const T *x, const int *c, T *y, int n) {
  __shared__ int trips;
  __shared__ T s[32];
  int t = threadIdx.x, i = thread_index();
  if (t == 0)
    trips = c[blockIdx.x];
  __syncthreads();
  T v = x[i];
  for (int k = 0; k < trips; ++k) {
    s[t] = v;
    __syncthreads();
    v = T(0.5) * (s[(t + k) % 32] + v * s[t ^ 1]);
    __syncthreads();
  }
  y[i] = v;
}

// bank: x in [8, 8] -1:1 | y out [8, 8] | @block 8,8 | @grid 1
ONCE_KERNEL void in_place_transpose_shared(const T *x, T *y) {
  __shared__ T s[8][9];
  int c = threadIdx.x, r = threadIdx.y;
  s[r][c] = x[r * 8 + c];
  __syncthreads();
  if (c > r) {
    T a = s[r][c];
    s[r][c] = s[c][r] * T(2);
    s[c][r] = a * a;
  }
  __syncthreads();
  y[r * 8 + c] = s[r][c] * s[7 - r][c];
}

// Buffers in turn, found in a table.
// bank: x in [n] -1:1 | y out [n] | n = 32 | m = 5 | @block 32 | @grid 1
ONCE_KERNEL void buffers_in_a_table(const T *x, T *y, int n, int m) {
  __shared__ T a[32], b[32];
  T *buffers[2] = {a, b};
  int t = threadIdx.x;
  a[t] = x[t];
  __syncthreads();
  for (int k = 0; k < m; ++k) {
    buffers[(k + 1) & 1][t] = T(0.5) * buffers[k & 1][t] + buffers[k & 1][(t + 1) % 32] * x[t];
    __syncthreads();
  }
  y[t] = buffers[m & 1][t];
}
