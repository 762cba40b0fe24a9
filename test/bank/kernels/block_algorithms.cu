// Attention, norms, sparse rows, particles on grids, small systems of equations.
#include "bank.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <class T> __device__ T warp_sum(T v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

template <class T> __device__ T warp_max(T v) {
  for (int o = 16; o > 0; o >>= 1)
    v = fmax(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}

template <class T> __device__ T block_sum(T v, T *scratch) {
  int w = threadIdx.x / 32, nw = (blockDim.x + 31) / 32;
  v = warp_sum(v);
  __syncthreads();
  if (lane() == 0)
    scratch[w] = v;
  __syncthreads();
  v = lane() < nw ? scratch[lane()] : T(0);
  return warp_sum(v);
}

// flash attention: one block per query tile, causal, tiles of keys in shared memory
// bank: q in [n,8] -1:1 | k in [n,8] -1:1 | v in [n,8] -1:1 | o out [n,8] | n = 20 | @block 8 | @grid 3
ONCE_KERNEL void flash_causal(const T *q, const T *k, const T *v, T *o, int n) {
  constexpr int D = 8, B = 8;
  __shared__ T ks[B][D + 1], vs[B][D];
  int row = blockIdx.x * B + threadIdx.x, t = threadIdx.x;
  T qr[D], acc[D], m = T(-1e20), l = 0;
  for (int d = 0; d < D; ++d) {
    qr[d] = row < n ? q[row * D + d] * T(0.35355339) : T(0);
    acc[d] = 0;
  }
  int last = min(n, (int)(blockIdx.x + 1) * B);
  for (int base = 0; base < last; base += B) {
    __syncthreads();
    for (int d = 0; d < D; ++d) {
      ks[t][d] = base + t < n ? k[(base + t) * D + d] : T(0);
      vs[t][d] = base + t < n ? v[(base + t) * D + d] : T(0);
    }
    __syncthreads();
    for (int j = 0; j < B; ++j) {
      int col = base + j;
      if (col > row || col >= n)
        break;
      T s = 0;
      for (int d = 0; d < D; ++d)
        s += qr[d] * ks[j][d];
      T mn = fmax(m, s), c = exp(m - mn), p = exp(s - mn);
      l = l * c + p;
      for (int d = 0; d < D; ++d)
        acc[d] = acc[d] * c + p * vs[j][d];
      m = mn;
    }
  }
  if (row < n)
    for (int d = 0; d < D; ++d)
      o[row * D + d] = acc[d] / l;
}

// group norm over rows with affine weights
// bank: x in [g,c,s] -1:1 | w in [c] 0.5:1.5 | b in [c] -1:1 | y out [g,c,s] | g = 3 | c = 4 | s = 9
// bank: @block 32 | @grid 3
ONCE_KERNEL void group_norm_affine(const T *x, const T *w, const T *b, T *y, int g, int c, int s) {
  __shared__ T scratch[32];
  int n = c * s;
  const T *xs = x + blockIdx.x * n;
  T sum = 0, sq = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    T v = xs[i];
    sum += v;
    sq += v * v;
  }
  T mean = block_sum(sum, scratch) / n;
  T var = block_sum(sq, scratch) / n - mean * mean;
  T r = rsqrt(var + T(1e-3));
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int ch = i / s;
    y[blockIdx.x * n + i] = (xs[i] - mean) * r * w[ch] + b[ch];
  }
}

// ragged batch: block per sequence
// bank: x in [n] -1:1 | r in rowptr [m+1] | y out [m] | n = 150 | m = 5 | @block 32 | @grid 5
ONCE_KERNEL void ragged_log_sum_exp(const T *x, const int *r, T *y, int m) {
  __shared__ T scratch[32];
  int b = r[blockIdx.x], e = r[blockIdx.x + 1];
  T mx = T(-1e30);
  for (int k = b + threadIdx.x; k < e; k += blockDim.x)
    mx = fmax(mx, x[k]);
  mx = warp_max(mx);
  if (lane() == 0)
    scratch[threadIdx.x / 32] = mx;
  __syncthreads();
  mx = scratch[0];
  for (int k = 1; k < blockDim.x / 32; ++k)
    mx = fmax(mx, scratch[k]);
  T s = 0;
  for (int k = b + threadIdx.x; k < e; k += blockDim.x)
    s += exp(x[k] - mx);
  s = block_sum(s, scratch);
  if (threadIdx.x == 0)
    y[blockIdx.x] = b < e ? mx + log(s) : T(0);
}

// CSR: a warp for each row
// bank: v in [n] -1:1 | c in i32 [n] 0:17 | r in rowptr [m+1] | x in [17] -1:1 | y out [m] | n = 200 | m = 9
// bank: @block 64 | @grid 5
ONCE_KERNEL void csr_warp_per_row(const T *v, const int *c, const int *r, const T *x, T *y, int m) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = lane();
  if (row >= m)
    return;
  T s = 0;
  for (int k = r[row] + l; k < r[row + 1]; k += 32)
    s += v[k] * x[c[k]];
  s = warp_sum(s);
  if (l == 0)
    y[row] = s;
}

// CSR: groups of 8
// bank: v in [n] -1:1 | c in i32 [n] 0:17 | r in rowptr [m+1] | x in [17] -1:1 | y out [m] | n = 100 | m = 9
// bank: @block 32 | @grid 3
ONCE_KERNEL void csr_eight_per_row(const T *v, const int *c, const int *r, const T *x, T *y, int m) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  T s = 0;
  if (row < m)
    for (int k = r[row] + tile.thread_rank(); k < r[row + 1]; k += 8)
      s += v[k] * x[c[k]];
  for (int o = 4; o; o >>= 1)
    s += tile.shfl_xor(s, o);
  if (row < m && tile.thread_rank() == 0)
    y[row] = s * s;
}

// material point method: particle to grid and grid to particle, quadratic weights in 2-D
// bank: p in [n,2] 1.6:4.4 | v in [n,2] -1:1 | g inout [7,7] -1:1 | n = 40 | @block 32 | @grid 2
ONCE_KERNEL void particles_to_grid(const T *p, const T *v, T *g, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  int bx = (int)(p[2 * i] - T(0.5)), by = (int)(p[2 * i + 1] - T(0.5));
  T fx = p[2 * i] - bx, fy = p[2 * i + 1] - by;
  T wx[3] = {T(0.5) * (T(1.5) - fx) * (T(1.5) - fx), T(0.75) - (fx - 1) * (fx - 1),
             T(0.5) * (fx - T(0.5)) * (fx - T(0.5))};
  T wy[3] = {T(0.5) * (T(1.5) - fy) * (T(1.5) - fy), T(0.75) - (fy - 1) * (fy - 1),
             T(0.5) * (fy - T(0.5)) * (fy - T(0.5))};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      atomicAdd(&g[(bx + a) * 7 + by + b], wx[a] * wy[b] * (v[2 * i] + (a - fx) * v[2 * i + 1]));
}

// Thomas algorithm, local arrays of run-time length
// bank: a in [s,n] -0.3:0.3 | b in [s,n] 1:2 | c in [s,n] -0.3:0.3 | d in [s,n] -1:1 | y out [s,n] | s = 5
// bank: n = 9 | @block 32 | @grid 1
ONCE_KERNEL void thomas_interleaved(const T *a, const T *b, const T *c, const T *d, T *y, int s, int n) {
  int i = thread_index();
  if (i >= s)
    return;
  T cp[16], dp[16];
  cp[0] = c[i] / b[i];
  dp[0] = d[i] / b[i];
  for (int k = 1; k < n; ++k) {
    T m = 1 / (b[k * 5 + i] - a[k * 5 + i] * cp[k - 1]);
    cp[k] = c[k * 5 + i] * m;
    dp[k] = (d[k * 5 + i] - a[k * 5 + i] * dp[k - 1]) * m;
  }
  T x = dp[n - 1];
  y[(n - 1) * 5 + i] = x;
  for (int k = n - 2; k >= 0; --k) {
    x = dp[k] - cp[k] * x;
    y[k * 5 + i] = x;
  }
}

// LU with partial pivoting in a local array
// bank: a in [n,16] -1:1 | b in [n,4] -1:1 | y out [n,4] | n = 33 | @block 32 | @grid 2 | @tol 1e-4 | @float_tol 5e-2
ONCE_KERNEL void lu_with_pivots(const T *a, const T *b, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T m[4][4], v[4];
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c)
      m[r][c] = a[i * 16 + r * 4 + c] + (r == c ? T(3) : T(0));
    v[r] = b[i * 4 + r];
  }
  for (int c = 0; c < 4; ++c) {
    int p = c;
    for (int r = c + 1; r < 4; ++r)
      if (fabs(m[r][c]) > fabs(m[p][c]))
        p = r;
    if (p != c) {
      for (int k = 0; k < 4; ++k) {
        T t = m[c][k];
        m[c][k] = m[p][k];
        m[p][k] = t;
      }
      T t = v[c];
      v[c] = v[p];
      v[p] = t;
    }
    for (int r = c + 1; r < 4; ++r) {
      T f = m[r][c] / m[c][c];
      for (int k = c; k < 4; ++k)
        m[r][k] -= f * m[c][k];
      v[r] -= f * v[c];
    }
  }
  for (int r = 3; r >= 0; --r) {
    for (int k = r + 1; k < 4; ++k)
      v[r] -= m[r][k] * v[k];
    v[r] /= m[r][r];
    y[i * 4 + r] = v[r];
  }
}

// grid-stride loops in 3 axes
// bank: x in [d,h,w] -1:1 | y out [d,h,w] | d = 5 | h = 6 | w = 7 | @block 4,2,2 | @grid 1,2,2
ONCE_KERNEL void strides_of_three_axes(const T *x, T *y, int d, int h, int w) {
  for (int k = blockIdx.z * blockDim.z + threadIdx.z; k < d; k += blockDim.z * gridDim.z)
    for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < h; j += blockDim.y * gridDim.y)
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w; i += blockDim.x * gridDim.x) {
        T c = x[(k * h + j) * w + i];
        T r = i + 1 < w ? x[(k * h + j) * w + i + 1] : c;
        y[(k * h + j) * w + i] = c * r + sin(c);
      }
}

// barrier loop ended by a shared value: convergence
// bank: x in [n] 0.2:1 | y out [n] | n = 32 | @block 32 | @grid 1
ONCE_KERNEL void until_converged_shared(const T *x, T *y, int n) {
  __shared__ T s[64];
  __shared__ int go;
  int t = threadIdx.x;
  T v = x[t];
  for (int k = 0; k < 20; ++k) {
    s[t] = v;
    if (t == 0)
      go = 0;
    __syncthreads();
    T nv = T(0.5) * (v + T(0.9) * s[(t + 1) % n] * s[(t + 1) % n]);
    if (fabs(nv - v) > T(0.05))
      go = 1;
    v = nv;
    __syncthreads();
    int g = go;
    __syncthreads();
    if (!g)
      break;
  }
  y[t] = v;
}

// histogram with private copies per warp
// bank: x in [n] 0:8 | w in [n] -1:1 | h inout [8] | n = 150 | @block 64 | @grid 2
ONCE_KERNEL void histogram_private_per_warp(const T *x, const T *w, T *h, int n) {
  __shared__ T hist[2][8];
  int t = threadIdx.x;
  if (t < 16)
    hist[t / 8][t % 8] = 0;
  __syncthreads();
  for (int i = thread_index(); i < n; i += blockDim.x * gridDim.x) {
    int b = min((int)x[i], 7);
    T f = x[i] - b;
    atomicAdd(&hist[t / 32][b], w[i] * (1 - f));
    atomicAdd(&hist[t / 32][(b + 1) & 7], w[i] * f);
  }
  __syncthreads();
  if (t < 8)
    atomicAdd(&h[t], hist[0][t] + hist[1][t]);
}
