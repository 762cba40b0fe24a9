// Solvers, transforms and recurrent networks whose state a block keeps in shared memory.
#include "bank.h"

// bank: a in [3, 6, 6] -1:1 | b in [3, 6] -1:1 | x out [3, 6] | @block 6 | @grid 3
ONCE_KERNEL void lu_solve_block(const T *a, const T *b, T *x) {
  __shared__ T s[6][7];
  int r = threadIdx.x;
  for (int c = 0; c < 6; ++c)
    s[r][c] = a[(blockIdx.x * 6 + r) * 6 + c] + (r == c ? T(4) : T(0));
  s[r][6] = b[blockIdx.x * 6 + r];
  __syncthreads();
  for (int k = 0; k < 6; ++k) {
    T f = s[r][k] / s[k][k];
    __syncthreads();
    if (r != k)
      for (int c = k; c < 7; ++c)
        s[r][c] -= f * s[k][c];
    __syncthreads();
  }
  x[blockIdx.x * 6 + r] = s[r][6] / s[r][r];
}

// bank: a in [3, 5, 5] -1:1 | l out [3, 5, 5] | @block 5 | @grid 3
ONCE_KERNEL void cholesky_block(const T *a, T *l) {
  __shared__ T s[5][5];
  int r = threadIdx.x;
  const T *m = a + blockIdx.x * 25;
  for (int c = 0; c < 5; ++c) {
    T v = 0;
    for (int k = 0; k < 5; ++k)
      v += m[r * 5 + k] * m[c * 5 + k];
    s[r][c] = v + (r == c ? T(1) : T(0));
  }
  __syncthreads();
  for (int k = 0; k < 5; ++k) {
    if (r == k)
      s[k][k] = sqrt(s[k][k]);
    __syncthreads();
    if (r > k)
      s[r][k] /= s[k][k];
    __syncthreads();
    if (r > k)
      for (int c = k + 1; c <= r; ++c)
        s[r][c] -= s[r][k] * s[c][k];
    __syncthreads();
  }
  for (int c = 0; c < 5; ++c)
    l[blockIdx.x * 25 + r * 5 + c] = c <= r ? s[r][c] : T(0);
}

// bank: x in [2, 16] -1:1 | y out [2, 16] | @block 8 | @grid 2
ONCE_KERNEL void fft_radix_two(const T *x, T *y) {
  __shared__ T re[8], im[8];
  int t = threadIdx.x;
  int rev = ((t & 1) << 2) | (t & 2) | ((t >> 2) & 1);
  re[rev] = x[blockIdx.x * 16 + 2 * t];
  im[rev] = x[blockIdx.x * 16 + 2 * t + 1];
  __syncthreads();
  for (int len = 2; len <= 8; len <<= 1) {
    int half = len / 2;
    int pos = t % len;
    bool low = pos < half;
    int partner = low ? t + half : t - half;
    T ang = T(-2) * T(3.14159265358979) * (pos % half) / len;
    T wr = cos(ang), wi = sin(ang);
    T ar = low ? re[t] : re[partner], ai = low ? im[t] : im[partner];
    T br = low ? re[partner] : re[t], bi = low ? im[partner] : im[t];
    T cr = br * wr - bi * wi, ci = br * wi + bi * wr;
    T nr = low ? ar + cr : ar - cr, ni = low ? ai + ci : ai - ci;
    __syncthreads();
    re[t] = nr;
    im[t] = ni;
    __syncthreads();
  }
  y[blockIdx.x * 16 + 2 * t] = re[t];
  y[blockIdx.x * 16 + 2 * t + 1] = im[t];
}

// bank: x in [2, 10, 4] -1:1 | w in [4, 4] -1:1 | u in [4, 4] -1:1 | h out [2, 10, 4] | steps = 10 | @block 4 | @grid 2
ONCE_KERNEL void rnn_block(const T *x, const T *w, const T *u, T *h, int steps) {
  __shared__ T state[4], ws[4][4], us[4][4];
  int t = threadIdx.x;
  state[t] = 0;
  for (int k = 0; k < 4; ++k) {
    ws[t][k] = w[t * 4 + k];
    us[t][k] = u[t * 4 + k];
  }
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    T acc = 0;
    for (int k = 0; k < 4; ++k)
      acc += ws[t][k] * x[(blockIdx.x * steps + s) * 4 + k] + us[t][k] * state[k];
    T v = tanh(acc);
    __syncthreads();
    state[t] = v;
    h[(blockIdx.x * steps + s) * 4 + t] = v;
    __syncthreads();
  }
}

// bank: x in [2, 6, 3] -1:1 | w in [12, 3] -1:1 | u in [12, 3] -1:1 | h out [2, 3] | steps = 6 | @block 3 | @grid 2
ONCE_KERNEL void lstm_block(const T *x, const T *w, const T *u, T *h, int steps) {
  __shared__ T hs[3];
  int t = threadIdx.x;
  T c = 0;
  hs[t] = 0;
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    T g[4];
    for (int q = 0; q < 4; ++q) {
      g[q] = 0;
      for (int k = 0; k < 3; ++k)
        g[q] += w[(q * 3 + t) * 3 + k] * x[(blockIdx.x * steps + s) * 3 + k] + u[(q * 3 + t) * 3 + k] * hs[k];
    }
    T i = 1 / (1 + exp(-g[0])), f = 1 / (1 + exp(-g[1])), o = 1 / (1 + exp(-g[2]));
    c = f * c + i * tanh(g[3]);
    __syncthreads();
    hs[t] = o * tanh(c);
    __syncthreads();
  }
  h[blockIdx.x * 3 + t] = hs[t];
}

// bank: x in [2, 12] -1:1 | y out [2, 12] | @block 12 | @grid 2
ONCE_KERNEL void odd_even_sort(const T *x, T *y) {
  __shared__ T s[12];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 12 + t];
  __syncthreads();
  for (int p = 0; p < 12; ++p) {
    if ((t & 1) == (p & 1) && t + 1 < 12 && s[t] > s[t + 1]) {
      T tmp = s[t];
      s[t] = s[t + 1];
      s[t + 1] = tmp;
    }
    __syncthreads();
  }
  y[blockIdx.x * 12 + t] = s[t] * s[t] * (t + 1);
}
