// Whole algorithms of a block or warp: attention, normalisation, scans, sorts, and elimination.
#include "bank.h"

// bank: q in [32, 4] -1:1 | k in [32, 4] -1:1 | v in [32, 4] -1:1 | o out [32, 4] | len = 32 | @block 8 | @grid 4
ONCE_KERNEL void flash_attention_tiled(const T *q, const T *k, const T *v, T *o, int len) {
  constexpr int D = 4, B = 8;
  __shared__ T ks[B][D], vs[B][D];
  int row = blockIdx.x * B + threadIdx.x;
  T qr[D], acc[D] = {0}, m = T(-1e30), l = 0;
  for (int d = 0; d < D; ++d)
    qr[d] = q[row * D + d] / 2;
  for (int t = 0; t < len / B; ++t) {
    for (int d = 0; d < D; ++d) {
      ks[threadIdx.x][d] = k[(t * B + threadIdx.x) * D + d];
      vs[threadIdx.x][d] = v[(t * B + threadIdx.x) * D + d];
    }
    __syncthreads();
    for (int j = 0; j < B; ++j) {
      T s = 0;
      for (int d = 0; d < D; ++d)
        s += qr[d] * ks[j][d];
      T mn = s > m ? s : m, c = exp(m - mn), p = exp(s - mn);
      l = l * c + p;
      for (int d = 0; d < D; ++d)
        acc[d] = acc[d] * c + p * vs[j][d];
      m = mn;
    }
    __syncthreads();
  }
  for (int d = 0; d < D; ++d)
    o[row * D + d] = acc[d] / l;
}

// bank: x in [2, 8, 6] -1:1 | gam in [8] 0.5:1.5 | y out [2, 8, 6] | @block 32 | @grid 4,2
ONCE_KERNEL void group_norm_welford(const T *x, const T *gam, T *y) {
  constexpr int C = 8, HW = 6, G = 4, M = C / G * HW;
  const int g = blockIdx.x, nb = blockIdx.y;
  const T *base = x + (nb * C + g * (C / G)) * HW;
  T mean = 0, m2 = 0;
  int cnt = 0;
  for (int j = threadIdx.x; j < M; j += 32) {
    ++cnt;
    T d = base[j] - mean;
    mean += d / cnt;
    m2 += d * (base[j] - mean);
  }
  for (int o = 16; o; o >>= 1) {
    T mo = __shfl_down_sync(~0u, mean, o), qo = __shfl_down_sync(~0u, m2, o);
    int co = __shfl_down_sync(~0u, cnt, o);
    if (co > 0) {
      T d = mo - mean;
      int tot = cnt + co;
      mean += d * co / tot;
      m2 += qo + d * d * cnt * co / tot;
      cnt = tot;
    }
  }
  mean = __shfl_sync(~0u, mean, 0);
  m2 = __shfl_sync(~0u, m2, 0);
  T r = rsqrt(m2 / M + T(1e-5));
  for (int j = threadIdx.x; j < M; j += 32)
    y[(nb * C + g * (C / G)) * HW + j] = (base[j] - mean) * r * gam[g * (C / G) + j / HW];
}

// bank: x in [32] -1:1 | a in [32] 0.2:0.9 | y out [32] | @block 32 | @grid 1
ONCE_KERNEL void linear_recurrence_warp_scan(const T *x, const T *a, T *y) {
  int lane = threadIdx.x;
  T A = a[lane], X = x[lane];
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    T Ap = __shfl_up_sync(0xffffffff, A, o), Xp = __shfl_up_sync(0xffffffff, X, o);
    if (lane >= o) {
      X = A * Xp + X;
      A *= Ap;
    }
  }
  y[lane] = X;
}

// bank: x in [3, 20] -2:2 | y out [3, 20] | c = 20 | @block 16 | @grid 3
ONCE_KERNEL void online_softmax_block(const T *x, T *y, int c) {
  __shared__ T sm[16], ss[16];
  int t = threadIdx.x;
  const T *r = x + blockIdx.x * c;
  T m = -INFINITY, s = 0;
  for (int j = t; j < c; j += 16) {
    T v = r[j];
    if (v > m) {
      s *= exp(m - v);
      m = v;
    }
    s += exp(v - m);
  }
  sm[t] = m;
  ss[t] = s;
  __syncthreads();
  for (int o = 8; o; o >>= 1) {
    if (t < o) {
      T m2 = sm[t + o], s2 = ss[t + o], M = fmax(sm[t], m2);
      ss[t] = ss[t] * exp(sm[t] - M) + s2 * exp(m2 - M);
      sm[t] = M;
    }
    __syncthreads();
  }
  for (int j = t; j < c; j += 16)
    y[blockIdx.x * c + j] = exp(r[j] - sm[0]) / ss[0];
}

// bank: a in [16] -1:1 | b in [16] 1:2 | d in [16] -1:1 | x out [16] | @block 16 | @grid 1
ONCE_KERNEL void cyclic_reduction_tridiag(const T *a, const T *b, const T *d, T *x) {
  __shared__ T sa[16], sb[16], sc[16], sd[16];
  int t = threadIdx.x;
  sa[t] = t ? T(0.3) * a[t] : T(0);
  sb[t] = b[t];
  sc[t] = t < 15 ? T(0.3) * a[15 - t] : T(0);
  sd[t] = d[t];
  __syncthreads();
  for (int st = 1; st < 16; st <<= 1) {
    T na = sa[t], nb = sb[t], nc = sc[t], nd = sd[t];
    if (t - st >= 0) {
      T al = sa[t] / sb[t - st];
      nb -= al * sc[t - st];
      nd -= al * sd[t - st];
      na = -al * sa[t - st];
    } else
      na = 0;
    if (t + st < 16) {
      T ga = sc[t] / sb[t + st];
      nb -= ga * sa[t + st];
      nd -= ga * sd[t + st];
      nc = -ga * sc[t + st];
    } else
      nc = 0;
    __syncthreads();
    sa[t] = na;
    sb[t] = nb;
    sc[t] = nc;
    sd[t] = nd;
    __syncthreads();
  }
  x[t] = sd[t] / sb[t];
}

// bank: m in [6, 7] -1:1 | b in [6] -1:1 | x out [6] | @block 6,7 | @grid 1,1
ONCE_KERNEL void gauss_jordan_cooperative(const T *m, const T *b, T *x) {
  __shared__ T A[6][7];
  int r = threadIdx.x, c = threadIdx.y;
  A[r][c] = c < 6 ? m[7 * r + c] + (r == c ? T(4) : T(0)) : b[r];
  __syncthreads();
  for (int k = 0; k < 6; ++k) {
    T p = A[k][k], f = A[r][k], kc = A[k][c];
    __syncthreads();
    if (r == k)
      A[r][c] = kc / p;
    else
      A[r][c] -= f * kc / p;
    __syncthreads();
  }
  if (c == 6)
    x[r] = A[r][6];
}

// bank: x in [32] -1:1 | y out [32] | @block 32 | @grid 1
ONCE_KERNEL void odd_even_transposition_sort(const T *x, T *y) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int ph = 0; ph < 32; ++ph) {
    int a = 2 * t + (ph & 1);
    if (a + 1 < 32 && s[a] > s[a + 1]) {
      T v = s[a];
      s[a] = s[a + 1];
      s[a + 1] = v;
    }
    __syncthreads();
  }
  y[t] = s[t] * (t + 1);
}

// bank: x in [64] 0:1 | h inout [8] | bw const 0.1:0.1 | @block 32 | @grid 2
ONCE_KERNEL void soft_histogram_shared(const T *x, T *h, T bw) {
  __shared__ T bins[8];
  if (threadIdx.x < 8)
    bins[threadIdx.x] = 0;
  __syncthreads();
  T v = x[blockIdx.x * 32 + threadIdx.x];
  for (int b = 0; b < 8; ++b) {
    T d = (v - (b + T(0.5)) / 8) / bw;
    atomicAdd(&bins[b], exp(T(-0.5) * d * d));
  }
  __syncthreads();
  if (threadIdx.x < 8)
    atomicAdd(&h[threadIdx.x], bins[threadIdx.x]);
}

// bank: u in [32] -1:1 | o out [32] | steps = 5 | @block 32 | @grid 1
ONCE_KERNEL void burgers_shared_pingpong(const T *u, T *o, int steps) {
  __shared__ T buf[2][34];
  int t = threadIdx.x, cur = 0;
  buf[0][t + 1] = u[t];
  if (t == 0) {
    buf[0][0] = u[31];
    buf[0][33] = u[0];
  }
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    T a = buf[cur][t], c = buf[cur][t + 1], b = buf[cur][t + 2];
    T v = c - T(0.1) * c * (b - a) + T(0.05) * (a - 2 * c + b);
    buf[cur ^ 1][t + 1] = v;
    if (t == 31)
      buf[cur ^ 1][0] = v;
    if (t == 0)
      buf[cur ^ 1][33] = v;
    cur ^= 1;
    __syncthreads();
  }
  o[t] = buf[cur][t + 1];
}

// bank: v in [n] -1:1 | rp in rowptr [6] | y out [5] | n = 12 | @block 32 | @grid 5
ONCE_KERNEL void segment_softmax_entropy(const T *v, const int *rp, T *y) {
  int b = rp[blockIdx.x], e = rp[blockIdx.x + 1], lane = threadIdx.x;
  T m = T(-1e30), s = 0, h = 0;
  for (int k = b + lane; k < e; k += 32)
    m = fmax(m, v[k]);
  for (int o = 16; o; o >>= 1)
    m = fmax(m, __shfl_xor_sync(~0u, m, o));
  for (int k = b + lane; k < e; k += 32)
    s += exp(v[k] - m);
  for (int o = 16; o; o >>= 1)
    s += __shfl_xor_sync(~0u, s, o);
  for (int k = b + lane; k < e; k += 32) {
    T p = exp(v[k] - m) / s;
    h -= p * log(p);
  }
  for (int o = 16; o; o >>= 1)
    h += __shfl_xor_sync(~0u, h, o);
  if (lane == 0)
    y[blockIdx.x] = h;
}
