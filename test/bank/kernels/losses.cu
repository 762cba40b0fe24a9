// Losses, normalisations and recurrences of networks, one row a thread.
#include "bank.h"

template <class T> __device__ T sigmoid(T v) { return T(1) / (T(1) + exp(-v)); }

// bank: x in [n, 5] -2:2 | w in [5] -1:1 | k in i32 [n] 0:5 | y out [n] | n = 20
KERNEL void cross_entropy_smoothed(const T *x, const T *w, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *row = x + 5 * i;
  T most = row[0];
  for (int c = 1; c < 5; ++c)
    most = max(most, row[c]);
  T sum = 0, mean = 0;
  for (int c = 0; c < 5; ++c) {
    sum += exp(row[c] - most);
    mean += row[c] * w[c];
  }
  T log_sum = log(sum) + most;
  y[i] = T(0.9) * (log_sum - row[k[i]]) + T(0.1) * (log_sum - mean / 5);
}

// bank: x in [n, 3] -2:2 | z in [n, 3] -2:2 | delta real 0.3:1 | y out [n, 2] | n = 20
KERNEL void huber_and_quantile(const T *x, const T *z, DIFF T delta, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T huber = 0, quantile = 0;
  for (int c = 0; c < 3; ++c) {
    T d = x[3 * i + c] - z[3 * i + c];
    T a = fabs(d);
    huber += a <= delta ? d * d / 2 : delta * (a - delta / 2);
    quantile += d >= 0 ? T(0.8) * d : T(-0.2) * d;
  }
  y[2 * i] = huber;
  y[2 * i + 1] = quantile;
}

// bank: x in [n, 7] -1:1 | w in [6] -1:1 | k in i32 [n] 1:8 | y out [n, 3] | n = 16
KERNEL void gru_with_lengths(const T *x, const T *w, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T h[3] = {T(0.1), T(-0.2), T(0.3)};
  int t = 0;
  while (t < k[i]) {
    T next[3];
    for (int c = 0; c < 3; ++c) {
      T z = sigmoid(w[0] * x[7 * i + t] + w[1] * h[c]), r = sigmoid(w[2] * h[(c + 1) % 3]);
      next[c] = (1 - z) * h[c] + z * tanh(w[3] * x[7 * i + t] + r * w[4] * h[(c + 2) % 3] + w[5]);
    }
    for (int c = 0; c < 3; ++c)
      h[c] = next[c];
    ++t;
  }
  for (int c = 0; c < 3; ++c)
    y[3 * i + c] = h[c];
}

// bank: x in [n, 6] -1:1 | z in [n, 6] -1:1 | t real 0.5:1 | y out [n] | n = 10
KERNEL void contrastive(const T *x, const T *z, DIFF T t, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T own = 0, sum = 0;
  for (int j = 0; j < n; ++j) {
    T dot = 0, xx = T(1e-3), zz = T(1e-3);
    for (int c = 0; c < 6; ++c) {
      dot += x[6 * i + c] * z[6 * j + c];
      xx += x[6 * i + c] * x[6 * i + c];
      zz += z[6 * j + c] * z[6 * j + c];
    }
    T s = dot * rsqrt(xx * zz) / t;
    if (i == j)
      own = s;
    sum += exp(s);
  }
  y[i] = log(sum) - own;
}

// bank: x in [n, 8] -1:1 | w in [n, 8] 0.1:1 | y out [n, 2] | n = 12
KERNEL void kl_and_js(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T p[8], q[8], sp = 0, sq = 0;
  for (int c = 0; c < 8; ++c) {
    sp += p[c] = exp(x[8 * i + c]);
    sq += q[c] = w[8 * i + c];
  }
  T kl = 0, js = 0;
  for (int c = 0; c < 8; ++c) {
    p[c] /= sp;
    q[c] /= sq;
    T m = (p[c] + q[c]) / 2;
    kl += p[c] * log(p[c] / q[c]);
    js += (p[c] * log(p[c] / m) + q[c] * log(q[c] / m)) / 2;
  }
  y[2 * i] = kl;
  y[2 * i + 1] = js;
}

// bank: x in [n, 6] -1:1 | k in i32 [n, 4] 0:6 | y out [n, 2] | n = 16
KERNEL void ctc_like_alpha(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // log-space forward variables over a short chain, with a floor instead of minus infinity
  T alpha[4] = {x[6 * i], T(-5), T(-5), T(-5)};
  for (int t = 1; t < 6; ++t) {
    for (int s = 3; s >= 0; --s) {
      T stay = alpha[s], come = s > 0 ? alpha[s - 1] : T(-9);
      T hi = stay > come ? stay : come, lo = stay > come ? come : stay;
      alpha[s] = hi + log1p(exp(lo - hi)) + x[6 * i + (k[4 * i + s] + t) % 6];
    }
  }
  y[2 * i] = alpha[3];
  y[2 * i + 1] = alpha[2] * alpha[1];
}

// bank: x in [n, 4] -1:1 | w in [4] -1:1 | y out [n] | n = 16
KERNEL void log_determinant_ldl(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a[3][3];
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      a[r][c] = x[4 * i + r] * x[4 * i + c] + (r == c ? 2 + w[r] : T(0.1) * w[3]);
  T total = 0;
  for (int p = 0; p < 3; ++p) {
    total += log(a[p][p]);
    for (int r = p + 1; r < 3; ++r) {
      T f = a[r][p] / a[p][p];
      for (int c = p; c < 3; ++c)
        a[r][c] -= f * a[p][c];
    }
  }
  y[i] = total;
}

// bank: x in [n, 6] -1:1 | w in [6] -1:1 | y out [n, 2] | n = 14
KERNEL void layer_norm_two_pass_inplace(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v[6];
  for (int c = 0; c < 6; ++c)
    v[c] = x[6 * i + c];
  for (int pass = 0; pass < 3; ++pass) {
    T mean = 0, var = 0;
    for (T e : v)
      mean += e / 6;
    for (T &e : v) {
      e -= mean;
      var += e * e / 6;
    }
    for (int c = 0; c < 6; ++c)
      v[c] = v[c] / sqrt(var + T(0.1)) + w[c] * v[(c + pass) % 6];
  }
  y[2 * i] = v[0] * v[3];
  y[2 * i + 1] = v[5];
}

// bank: x in [n, 4] -1:1 | total inout [4] | k in i32 [n] 0:4 | n = 30
KERNEL void histogram_of_squares(const T *x, T *total, const int *k, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int c = 0; c < 4; ++c)
    s += x[4 * i + c] * x[4 * i + c];
  atomicAdd(total + k[i], s);
  if (k[i] > 0)
    atomicAdd(&total[k[i] - 1], T(0.5) * sqrt(s + 1));
}
