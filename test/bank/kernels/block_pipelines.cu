// A block works on tiles and windows in turn: buffers, halos, planes and steps in time.
#include "bank.h"

// triple buffered pipeline with modulo stage
// bank: x in [m,n] -1:1 | w in [m,n] -1:1 | y out [n] | n = 32 | m = 7 | @block 32 | @grid 1
ONCE_KERNEL void triple_buffered(const T *x, const T *w, T *y, int n, int m) {
  __shared__ T buf[3][32];
  int t = threadIdx.x;
  buf[0][t] = x[t];
  if (m > 1)
    buf[1][t] = x[n + t];
  __syncthreads();
  T acc = 0;
  for (int k = 0; k < m; ++k) {
    int stage = k % 3;
    if (k + 2 < m)
      buf[(k + 2) % 3][t] = x[(k + 2) * n + t];
    acc += buf[stage][(t + k) % 32] * w[k * n + t] + acc * T(0.1) * buf[stage][31 - t];
    __syncthreads();
  }
  y[t] = acc;
}

// one buffer used in two phases with two shapes, by pointer arithmetic
// bank: x in [n] -1:1 | y out [n] | n = 96 | @block 32 | @grid 3
ONCE_KERNEL void one_buffer_two_phases(const T *x, T *y, int n) {
  __shared__ T pool[96];
  T *rows = pool, *sums = pool + 64;
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  rows[2 * t] = x[i];
  rows[2 * t + 1] = x[i] * x[i];
  __syncthreads();
  if (t < 8) {
    T s = 0;
    for (int k = 0; k < 8; ++k)
      s += rows[t * 8 + k];
    sums[t] = s;
  }
  __syncthreads();
  rows[t] = sums[t / 4] * x[i];
  __syncthreads();
  y[i] = rows[31 - t] + sums[t % 8];
}

// halo loaded by the first threads, dynamic radius
// bank: x in [n] -1:1 | w in [7] -1:1 | y out [n] | n = 100 | r = 3 | @block 32 | @grid 4 | @shared 512
ONCE_KERNEL void halo_dynamic_radius(const T *x, const T *w, T *y, int n, int r) {
  extern __shared__ __align__(16) unsigned char mem[];
  T *s = reinterpret_cast<T *>(mem);
  int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + r;
  s[l] = g < n ? x[g] : T(0);
  if (threadIdx.x < r) {
    s[l - r] = g >= r && g - r < n ? x[g - r] : T(0);
    int q = g + blockDim.x;
    s[l + blockDim.x] = q < n ? x[q] : T(0);
  }
  __syncthreads();
  T acc = 0;
  for (int k = -r; k <= r; ++k)
    acc += w[k + r] * s[l + k] * s[l + k];
  if (g < n)
    y[g] = acc;
}

// 3-D stencil marching in z with registers and a shared plane
// bank: x in [d,h,w] -1:1 | y out [d,h,w] | d = 6 | h = 9 | w = 10 | @block 8,8 | @grid 2,2
ONCE_KERNEL void march_25d(const T *x, T *y, int d, int h, int w) {
  __shared__ T p[10][10];
  int gx = blockIdx.x * 8 + threadIdx.x, gy = blockIdx.y * 8 + threadIdx.y, c = threadIdx.x + 1, r = threadIdx.y + 1;
  bool in = gx < w && gy < h;
  int cx = min(gx, w - 1), cy = min(gy, h - 1);
  T below = x[cy * w + cx], here = below, above = x[(min(1, d - 1) * h + cy) * w + cx];
  for (int z = 0; z < d; ++z) {
    __syncthreads();
    p[r][c] = here;
    if (threadIdx.x == 0)
      p[r][0] = x[(z * h + cy) * w + max(gx - 1, 0)];
    if (threadIdx.x == 7)
      p[r][9] = x[(z * h + cy) * w + min(gx + 1, w - 1)];
    if (threadIdx.y == 0)
      p[0][c] = x[(z * h + max(gy - 1, 0)) * w + cx];
    if (threadIdx.y == 7)
      p[9][c] = x[(z * h + min(gy + 1, h - 1)) * w + cx];
    __syncthreads();
    if (in)
      y[(z * h + gy) * w + gx] = here * (p[r][c - 1] + p[r][c + 1] + p[r - 1][c] + p[r + 1][c]) + below * above;
    below = here;
    here = above;
    if (z + 2 < d)
      above = x[((z + 2) * h + cy) * w + cx];
  }
}

// temporal blocking: several steps in shared memory, shrinking valid region
// bank: x in [n] -1:1 | y out [n] | n = 60 | s = 3 | @block 32 | @grid 3
ONCE_KERNEL void temporal_blocking(const T *x, T *y, int n, int s) {
  __shared__ T buf[2][32];
  int t = threadIdx.x, out = 32 - 2 * s;
  int g = blockIdx.x * out + t - s;
  int cur = 0;
  buf[0][t] = g >= 0 && g < n ? x[g] : T(0);
  __syncthreads();
  for (int k = 1; k <= s; ++k) {
    if (t >= k && t < 32 - k) {
      T l = buf[cur][t - 1], m = buf[cur][t], r = buf[cur][t + 1];
      buf[1 - cur][t] = m + T(0.25) * (l - 2 * m + r) - T(0.1) * m * m * l;
    }
    cur = 1 - cur;
    __syncthreads();
  }
  if (t >= s && t < 32 - s && g < n && g >= 0)
    y[g] = buf[cur][t];
}

// two arrays, one overwritten with a result depending on another, block of any size
// bank: x in [n] -1:1 | y out [n] | n = 77 | @block 32 | @grid 3
ONCE_KERNEL void ping_pong_any_block(const T *x, T *y, int n) {
  __shared__ T a[64];
  __shared__ T b[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  a[t] = i < n ? x[i] : T(1);
  __syncthreads();
  b[t] = a[t] * a[(t + 1) % blockDim.x];
  __syncthreads();
  a[t] = b[t] + b[(t + blockDim.x - 1) % blockDim.x] * a[t];
  __syncthreads();
  if (i < n)
    y[i] = a[blockDim.x - 1 - t] * b[t];
}

// scatter by permutation in shared memory and accumulate in a loop
// bank: x in [m,n] -1:1 | p in perm [n] | y out [n] | n = 32 | m = 4 | @block 32 | @grid 1
ONCE_KERNEL void permuted_scatter_loop(const T *x, const int *p, T *y, int n, int m) {
  __shared__ T s[32];
  int t = threadIdx.x, q = p[t];
  T acc = 1;
  for (int k = 0; k < m; ++k) {
    __syncthreads();
    s[q] = x[k * n + t] * acc;
    __syncthreads();
    acc += s[t] * s[q];
  }
  y[t] = acc;
}

// threads read their elements of a tensor before a barrier, and others write these behind it
// bank: x inout [n] -1:1 | n = 32 | turned = 1 | @block 32 | @grid 1
KERNEL void turned_in_place(T *x, int n, int turned) {
  int t = threadIdx.x;
  T v = x[t];
  __syncthreads();
  if (turned)
    x[n - 1 - t] = v * v;
  else
    x[t] = 2 * v;
}

// all threads use a number, which one of them then changes
// bank: scale inout [1] 0.5:1 | x in [n] -1:1 | y out [n] | n = 40 | @block 40 | @grid 1
KERNEL void scale_changed_by_one(T *scale, const T *x, T *y, int n) {
  int t = threadIdx.x;
  T s = scale[0];
  y[t] = s * x[t];
  __syncthreads();
  if (t == n - 1)
    scale[0] = s * s * x[0];
}

// a queue whose head moves on, steps that are unrolled, rows as narrow as the block
// bank: x in [8, 16] -1:1 | y out [8, 16] | @block 16 | @grid 1
ONCE_KERNEL void queue_of_three(const T *x, T *y) {
  __shared__ T q[3][16];
  int t = threadIdx.x, head = 0;
  for (int k = 0; k < 3; ++k)
    q[k][t] = T(0.1) * T(k);
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    T o = q[head][(t + 1) % 16] * q[(head + 1) % 3][t] + q[(head + 2) % 3][15 - t];
    y[k * 16 + t] = o;
    __syncthreads();
    q[head][t] = x[k * 16 + t] + T(0.3) * o;
    head = head == 2 ? 0 : head + 1;
    __syncthreads();
  }
}
