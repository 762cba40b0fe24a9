// A block or its warps scan, merge and select.
#include "bank.h"

template <class T> __device__ T scan_of_warp(T v) {
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    T o = __shfl_up_sync(~0u, v, d);
    if (lane() >= d)
      v += o;
  }
  return v;
}

// block scan: warp scans, warp totals scanned by first warp
// bank: x in [n] -1:1 | y out [n] | n = 200 | @block 128 | @grid 2
ONCE_KERNEL void block_scan_two_level(const T *x, T *y, int n) {
  __shared__ T totals[32];
  int i = thread_index(), l = lane(), w = threadIdx.x >> 5, nw = blockDim.x >> 5;
  T v = scan_of_warp(i < n ? x[i] : T(0));
  if (l == 31)
    totals[w] = v;
  __syncthreads();
  if (w == 0)
    totals[l] = scan_of_warp(l < nw ? totals[l] : T(0));
  __syncthreads();
  if (w > 0)
    v += totals[w - 1];
  if (i < n)
    y[i] = sin(v);
}

// linear recurrence scan of pairs (a, b)
// bank: a in [n] 0.5:1 | b in [n] -1:1 | y out [n] | n = 64 | @block 32 | @grid 2
ONCE_KERNEL void scan_of_pairs(const T *a, const T *b, T *y, int n) {
  int i = thread_index(), l = lane();
  T p = a[i], q = b[i];
  for (int d = 1; d < 32; d <<= 1) {
    T pp = __shfl_up_sync(~0u, p, d), qq = __shfl_up_sync(~0u, q, d);
    if (l >= d) {
      q = p * qq + q;
      p = p * pp;
    }
  }
  y[i] = q;
}

// Welford merged over warps by shuffles
// bank: x in [r,c] -1:1 | y out [r] | z out [r] | r = 3 | c = 70 | @block 32 | @grid 3
ONCE_KERNEL void welford_by_shuffles(const T *x, T *y, T *z, int r, int c) {
  int l = threadIdx.x;
  T mean = 0, m2 = 0;
  int count = 0;
  for (int k = l; k < c; k += 32) {
    T v = x[blockIdx.x * c + k];
    ++count;
    T d = v - mean;
    mean += d / count;
    m2 += d * (v - mean);
  }
  for (int o = 16; o; o >>= 1) {
    T bm = __shfl_xor_sync(~0u, mean, o), b2 = __shfl_xor_sync(~0u, m2, o);
    int bn = __shfl_xor_sync(~0u, count, o);
    int nn = count + bn;
    if (nn > 0) {
      T d = bm - mean;
      mean += d * bn / nn;
      m2 += b2 + d * d * (T(count) * bn / nn);
      count = nn;
    }
  }
  if (l == 0) {
    y[blockIdx.x] = mean;
    z[blockIdx.x] = m2 / c;
  }
}

// match_any aggregation
// bank: x in [n] -1:1 | k in i32 [n] 0:5 | y inout [8] | n = 64 | @block 32 | @grid 2
ONCE_KERNEL void match_any_aggregate(const T *x, const int *k, T *y, int n) {
  int i = thread_index(), l = lane();
  T v = x[i] * x[i];
  unsigned m = __match_any_sync(~0u, k[i]);
  int leader = __ffs(m) - 1;
  T sum = 0;
  for (int j = 0; j < 32; ++j) {
    T o = __shfl_sync(~0u, v, j);
    if (m >> j & 1)
      sum += o;
  }
  if (l == leader)
    atomicAdd(&y[k[i]], sum);
}

// shuffles under a uniform warp branch
// bank: x in [n] -1:1 | y out [n] | n = 128 | @block 128 | @grid 1
ONCE_KERNEL void warps_with_own_work(const T *x, T *y, int n) {
  int i = threadIdx.x, w = i / 32;
  T v = x[i];
  if (w == 0)
    v += __shfl_xor_sync(~0u, v, 1);
  else if (w == 1)
    v *= __shfl_down_sync(~0u, v, 4);
  else if (w & 1)
    v = sin(v) + __shfl_sync(~0u, v, 7);
  y[i] = v;
}

// top-k (k=3) selection by repeated warp argmax
// bank: x in [r,n] -1:1 | y out [r,3] | r = 2 | n = 32 | @block 32 | @grid 2
ONCE_KERNEL void top3_by_argmax(const T *x, T *y, int r, int n) {
  int l = threadIdx.x;
  T v = x[blockIdx.x * n + l];
  bool taken = false;
  for (int k = 0; k < 3; ++k) {
    T best = taken ? T(-1e30) : v;
    int who = l;
    for (int o = 16; o; o >>= 1) {
      T ob = __shfl_xor_sync(~0u, best, o);
      int ow = __shfl_xor_sync(~0u, who, o);
      if (ob > best || (ob == best && ow < who)) {
        best = ob;
        who = ow;
      }
    }
    if (who == l)
      taken = true;
    if (l == 0)
      y[blockIdx.x * 3 + k] = best * best;
  }
}
