// What networks are made of, one thread a row or an element.
#include "bank.h"

// bank: x in [n, m] -2:2 | y out [n, m] | n = 7 | m = 11
KERNEL void softmax_row(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *row = x + i * m;
  T top = row[0];
  for (int j = 1; j < m; ++j)
    top = row[j] > top ? row[j] : top;
  T sum = 0;
  for (int j = 0; j < m; ++j)
    sum += exp(row[j] - top);
  for (int j = 0; j < m; ++j)
    y[i * m + j] = exp(row[j] - top) / sum;
}

// bank: x in [n, m] -2:2 | g in [m] 0.5:1.5 | b in [m] -1:1 | y out [n, m] | n = 7 | m = 11
KERNEL void layer_norm_row(const T *x, const T *g, const T *b, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T mean = 0, var = 0;
  for (int j = 0; j < m; ++j)
    mean += x[i * m + j];
  mean /= m;
  for (int j = 0; j < m; ++j) {
    T d = x[i * m + j] - mean;
    var += d * d;
  }
  T scale = rsqrt(var / m + T(1e-5));
  for (int j = 0; j < m; ++j)
    y[i * m + j] = (x[i * m + j] - mean) * scale * g[j] + b[j];
}

// bank: x in [n, m] -2:2 | g in [m] 0.5:1.5 | y out [n, m] | n = 7 | m = 6
KERNEL void rms_norm_row(const T *x, const T *g, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T square = 0;
  for (int j = 0; j < m; ++j)
    square += x[i * m + j] * x[i * m + j];
  T scale = rsqrt(square / m + T(1e-6));
  for (int j = 0; j < m; ++j)
    y[i * m + j] = x[i * m + j] * scale * g[j];
}

// bank: x in [n, k] -1:1 | w in [m, k] -1:1 | b in [m] -1:1 | y out [n, m] | n = 5 | m = 6 | k = 7 | @threads n * m
KERNEL void mlp_layer(const T *x, const T *w, const T *b, T *y, int n, int m, int k) {
  int i = thread_index();
  if (i >= n * m)
    return;
  int r = i / m, c = i % m;
  T s = b[c];
  for (int j = 0; j < k; ++j)
    s += x[r * k + j] * w[c * k + j];
  y[i] = s > 0 ? s : T(0.01) * s;
}

// bank: x in [n, 4] -1:1 | w in [24] -1:1 | v in [6] -1:1 | y out [n] | n = 8
KERNEL void mlp_in_one_thread(const T *x, const T *w, const T *v, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T h[6];
  for (int c = 0; c < 6; ++c) {
    T s = 0;
    for (int j = 0; j < 4; ++j)
      s += x[4 * i + j] * w[4 * c + j];
    h[c] = tanh(s);
  }
  T out = 0;
  for (int c = 0; c < 6; ++c)
    out += h[c] * v[c];
  y[i] = out;
}

// bank: x in [n] -3:3 | y out [n] | n = 30
KERNEL void gelu(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = T(0.5) * x[i] * (1 + erf(x[i] * T(0.70710678118654752)));
}

// bank: x in [n] -3:3 | y out [n] | n = 30
KERNEL void gelu_by_tanh(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  y[i] = T(0.5) * v * (1 + tanh(T(0.7978845608) * (v + T(0.044715) * v * v * v)));
}

// bank: x in [n] -3:3 | y out [n] | n = 30
KERNEL void softplus_and_silu(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  T softplus = v > 2 ? v + log1p(exp(-v)) : log1p(exp(v));
  y[i] = softplus + v / (1 + exp(-v));
}

// bank: x in [n, m] -2:2 | label in i32 [n] 0:5 | y out [n] | n = 9 | m = 5
KERNEL void cross_entropy(const T *x, const int *label, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T top = x[i * m];
  for (int j = 1; j < m; ++j)
    top = fmax(top, x[i * m + j]);
  T sum = 0;
  for (int j = 0; j < m; ++j)
    sum += exp(x[i * m + j] - top);
  y[i] = log(sum) + top - x[i * m + label[i]];
}

// bank: q in [n, d] -1:1 | k in [m, d] -1:1 | v in [m, d] -1:1 | y out [n, d] | n = 4 | m = 6 | d = 3
KERNEL void attention_row(const T *q, const T *k, const T *v, T *y, int n, int m, int d) {
  int i = thread_index();
  if (i >= n)
    return;
  T top = -1000;
  for (int j = 0; j < m; ++j) {
    T s = 0;
    for (int c = 0; c < d; ++c)
      s += q[i * d + c] * k[j * d + c];
    top = s > top ? s : top;
  }
  T sum = 0;
  for (int j = 0; j < m; ++j) {
    T s = 0;
    for (int c = 0; c < d; ++c)
      s += q[i * d + c] * k[j * d + c];
    sum += exp(s - top);
  }
  for (int e = 0; e < d; ++e) {
    T r = 0;
    for (int j = 0; j < m; ++j) {
      T s = 0;
      for (int c = 0; c < d; ++c)
        s += q[i * d + c] * k[j * d + c];
      r += exp(s - top) / sum * v[j * d + e];
    }
    y[i * d + e] = r;
  }
}

// bank: x in [n, m] -2:2 | y out [n] | n = 6 | m = 9
KERNEL void online_log_sum_exp(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T top = x[i * m], sum = 1;
  for (int j = 1; j < m; ++j) {
    T v = x[i * m + j];
    if (v > top) {
      sum = sum * exp(top - v) + 1;
      top = v;
    } else
      sum += exp(v - top);
  }
  y[i] = top + log(sum);
}

// bank: img in [h, w] -1:1 | at in [n, 2] 0.6:4.4 | y out [n] | n = 20 | h = 6 | w = 6
KERNEL void bilinear_gather(const T *img, const T *at, T *y, int n, int h, int w) {
  int i = thread_index();
  if (i >= n)
    return;
  T u = at[2 * i], v = at[2 * i + 1];
  int c = static_cast<int>(floor(u)), r = static_cast<int>(floor(v));
  T fu = u - c, fv = v - r;
  T s = 0;
  for (int dr = 0; dr < 2; ++dr)
    for (int dc = 0; dc < 2; ++dc) {
      int rr = r + dr, cc = c + dc;
      if (rr < 0 || rr >= h || cc < 0 || cc >= w)
        continue;
      s += img[rr * w + cc] * (dr ? fv : 1 - fv) * (dc ? fu : 1 - fu);
    }
  y[i] = s;
}

// bank: x in [n] -1:1 | at in [n, 2] 0.6:4.4 | y inout [h, w] | n = 20 | h = 6 | w = 6
KERNEL void bilinear_scatter(const T *x, const T *at, T *y, int n, int h, int w) {
  int i = thread_index();
  if (i >= n)
    return;
  T u = at[2 * i], v = at[2 * i + 1];
  int c = static_cast<int>(floor(u)), r = static_cast<int>(floor(v));
  T fu = u - c, fv = v - r;
  if (r < 0 || r + 1 >= h || c < 0 || c + 1 >= w)
    return;
  atomicAdd(&y[r * w + c], x[i] * (1 - fu) * (1 - fv));
  atomicAdd(&y[r * w + c + 1], x[i] * fu * (1 - fv));
  atomicAdd(&y[(r + 1) * w + c], x[i] * (1 - fu) * fv);
  atomicAdd(&y[(r + 1) * w + c + 1], x[i] * fu * fv);
}

// bank: x in [n, 3] -1:1 | h in [n, 2] -1:1 | w in [30] -1:1 | y out [n, 2] | n = 6
KERNEL void gated_recurrent_cell(const T *x, const T *h, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int c = 0; c < 2; ++c) {
    T gate[3];
    for (int g = 0; g < 3; ++g) {
      const T *row = w + (g * 2 + c) * 5;
      T s = 0;
      for (int j = 0; j < 3; ++j)
        s += row[j] * x[3 * i + j];
      for (int j = 0; j < 2; ++j)
        s += row[3 + j] * h[2 * i + j];
      gate[g] = s;
    }
    T z = 1 / (1 + exp(-gate[0])), r = 1 / (1 + exp(-gate[1])), candidate = tanh(gate[2] * r);
    y[2 * i + c] = (1 - z) * candidate + z * h[2 * i + c];
  }
}

// bank: x in [n] -1:1 | table in [v, d] -1:1 | token in i32 [n] 0:5 | y out [n, d] | n = 9 | v = 5 | d = 3
KERNEL void embedding(const T *x, const T *table, const int *token, T *y, int n, int d) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int c = 0; c < d; ++c)
    y[i * d + c] = table[token[i] * d + c] * (1 + x[i]);
}
