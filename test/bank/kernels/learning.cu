// Machine learning: activations, losses, normalisations, small layers, optimisers.
#include "bank.h"

enum class Activation { Relu, LeakyRelu, Elu, Selu, Swish, Mish, HardSwish, Tanh, Count };

template <class T> __device__ T activate(Activation kind, T v) {
  switch (kind) {
  case Activation::Relu:
    return v > 0 ? v : T(0);
  case Activation::LeakyRelu:
    return v > 0 ? v : T(0.01) * v;
  case Activation::Elu:
    return v > 0 ? v : expm1(v);
  case Activation::Selu: {
    const T scale = T(1.0507009873554805), alpha = T(1.6732632423543772);
    return scale * (v > 0 ? v : alpha * expm1(v));
  }
  case Activation::Swish:
    return v / (1 + exp(-v));
  case Activation::Mish:
    return v * tanh(log1p(exp(v)));
  case Activation::HardSwish:
    return v * fmin(fmax(v + 3, T(0)), T(6)) / 6;
  default:
    return tanh(v);
  }
}

// bank: x in [n] -4:4 | k in i32 [n] 0:8 | y out [n] | n = 64
KERNEL void activation_by_number(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = activate(static_cast<Activation>(k[i]), x[i]);
}

// bank: x in [n] -3:3 | t in [n] -3:3 | delta real 0.5:1.5 | y out [n] | n = 40
KERNEL void huber_loss(const T *x, const T *t, DIFF T delta, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T e = x[i] - t[i], a = fabs(e);
  y[i] = a <= delta ? e * e / 2 : delta * (a - delta / 2);
}

// bank: x in [n, 5] -3:3 | k in i32 [n] 0:5 | gamma real 1:3 | y out [n] | n = 30
KERNEL void focal_loss(const T *x, const int *k, DIFF T gamma, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *row = x + 5 * i;
  T high = row[0];
  for (int c = 1; c < 5; ++c)
    high = fmax(high, row[c]);
  T sum = 0;
  for (int c = 0; c < 5; ++c)
    sum += exp(row[c] - high);
  T p = exp(row[k[i]] - high) / sum;
  y[i] = -pow(1 - p, gamma) * log(p);
}

// bank: x in [n] -3:3 | t in [n] 0:1 | y out [n] | n = 40
KERNEL void binary_cross_entropy_with_logits(const T *x, const T *t, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = fmax(x[i], T(0)) - x[i] * t[i] + log1p(exp(-fabs(x[i])));
}

// bank: p in [n, 6] 0.1:1 | q in [n, 6] 0.1:1 | y out [n] | n = 20
KERNEL void divergence_of_normalised_rows(const T *p, const T *q, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T sp = 0, sq = 0;
  for (int c = 0; c < 6; ++c) {
    sp += p[6 * i + c];
    sq += q[6 * i + c];
  }
  T sum = 0;
  for (int c = 0; c < 6; ++c) {
    T a = p[6 * i + c] / sp, b = q[6 * i + c] / sq;
    sum += a * (log(a) - log(b));
  }
  y[i] = sum;
}

// bank: a in [n, 4] -1:1 | p in [n, 4] -1:1 | q in [n, 4] -1:1 | y out [n] | n = 30
KERNEL void triplet_margin_loss(const T *a, const T *p, const T *q, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto distance = [=](const T *u, const T *v) {
    T sum = T(1e-6);
    for (int c = 0; c < 4; ++c) {
      T d = u[4 * i + c] - v[4 * i + c];
      sum += d * d;
    }
    return sqrt(sum);
  };
  T margin = distance(a, p) - distance(a, q) + 1;
  y[i] = margin > 0 ? margin : T(0);
}

// bank: a in [n, 6] -1:1 | b in [n, 6] -1:1 | y out [n] | n = 30
KERNEL void cosine_similarity(const T *a, const T *b, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  struct Sums {
    T ab = 0, aa = 0, bb = 0;
    __device__ void add(T u, T v) {
      ab += u * v;
      aa += u * u;
      bb += v * v;
    }
  } sums;
  for (int c = 0; c < 6; ++c)
    sums.add(a[6 * i + c], b[6 * i + c]);
  y[i] = sums.ab / fmax(sqrt(sums.aa) * sqrt(sums.bb), T(1e-8));
}

// bank: x in [n, c] -1:1 | g in [c] 0.5:1.5 | b in [c] -1:1 | y out [n, c] | n = 12 | c = 8 | groups = 2
KERNEL void group_norm_row(const T *x, const T *g, const T *b, T *y, int n, int c, int groups) {
  int i = thread_index();
  if (i >= n)
    return;
  int each = c / groups;
  for (int s = 0; s < groups; ++s) {
    T mean = 0, m2 = 0;
    int count = 0;
    // Welford's way: the mean moves while it is used.
    for (int k = s * each; k < (s + 1) * each; ++k) {
      ++count;
      T d = x[i * c + k] - mean;
      mean += d / count;
      m2 += d * (x[i * c + k] - mean);
    }
    T inverse = rsqrt(m2 / count + T(1e-5));
    for (int j = 0; j < each; ++j) {
      int k = s * each + j;
      y[i * c + k] = (x[i * c + k] - mean) * inverse * g[k] + b[k];
    }
  }
}

// bank: q in [n, 8] -1:1 | k in i32 [n] 0:50 | y out [n, 8] | n = 20
KERNEL void rotary_embedding(const T *q, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int d = 0; d < 4; ++d) {
    T angle = T(k[i]) * pow(T(100), -T(d) / 4), s, c;
    sincos(angle, &s, &c);
    T a = q[8 * i + 2 * d], b = q[8 * i + 2 * d + 1];
    y[8 * i + 2 * d] = a * c - b * s;
    y[8 * i + 2 * d + 1] = a * s + b * c;
  }
}

// bank: x in [n, m] -1:1 | wi in [4, m] -1:1 | wh in [4] -1:1 | y out [n] | n = 10 | m = 6
KERNEL void long_short_term_memory(const T *x, const T *wi, const T *wh, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  auto sigmoid = [](T v) { return 1 / (1 + exp(-v)); };
  T cell = 0, hidden = 0;
  for (int t = 0; t < m; ++t) {
    T gate[4];
    for (int g = 0; g < 4; ++g)
      gate[g] = wi[g * m + t] * x[i * m + t] + wh[g] * hidden;
    cell = sigmoid(gate[0]) * cell + sigmoid(gate[1]) * tanh(gate[2]);
    hidden = sigmoid(gate[3]) * tanh(cell);
  }
  y[i] = hidden;
}

// bank: w inout [n] -1:1 | m1 inout [n] -0.1:0.1 | m2 inout [n] 0.01:0.1 | g in [n] -1:1 | n = 30 | step = 3
KERNEL void adam_step(T *w, T *m1, T *m2, const T *g, int n, int step) {
  int i = thread_index();
  if (i >= n)
    return;
  const T b1 = T(0.9), b2 = T(0.99);
  T first = b1 * m1[i] + (1 - b1) * g[i], second = b2 * m2[i] + (1 - b2) * g[i] * g[i];
  w[i] -= T(0.01) * (first / (1 - pow(b1, T(step)))) / (sqrt(second / (1 - pow(b2, T(step)))) + T(1e-6));
  m1[i] = first;
  m2[i] = second;
}

// bank: x in [n, h, h] -1:1 | y out [n, q, q] | n = 4 | h = 6 | q = 3
KERNEL void max_pooling(const T *x, T *y, int n, int h, int q) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int r = 0; r < q; ++r)
    for (int c = 0; c < q; ++c) {
      T best = -1000;
      for (int dr = 0; dr < 2; ++dr)
        for (int dc = 0; dc < 2; ++dc)
          best = std::max(best, x[(i * h + 2 * r + dr) * h + 2 * c + dc]);
      y[(i * q + r) * q + c] = best;
    }
}

// bank: x in [n, 8] -2:2 | y out [n, 3] | n = 24
KERNEL void largest_three(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T best[3] = {-100, -100, -100};
  for (int c = 0; c < 8; ++c) {
    T v = x[8 * i + c];
    for (int k = 0; k < 3; ++k)
      if (v > best[k]) {
        T t = best[k];
        best[k] = v;
        v = t;
      }
  }
  for (int k = 0; k < 3; ++k)
    y[3 * i + k] = best[k];
}

// bank: x in [n, 6] -1:1 | w in [m, 6] -1:1 | y out [n] | n = 12 | m = 5
KERNEL void radial_basis_network(const T *x, const T *w, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T sum = 0, norm = 0;
  for (int k = 0; k < m; ++k) {
    T d2 = 0;
    for (int c = 0; c < 6; ++c)
      d2 += (x[6 * i + c] - w[6 * k + c]) * (x[6 * i + c] - w[6 * k + c]);
    T phi = exp(-d2);
    sum += phi * w[6 * k];
    norm += phi;
  }
  y[i] = sum / (norm + T(1e-3));
}

template <class T, int In, int Out> struct Dense {
  const T *weights;
  __device__ void operator()(const T (&in)[In], T (&out)[Out]) const {
    for (int o = 0; o < Out; ++o) {
      T sum = weights[Out * In + o];
      for (int k = 0; k < In; ++k)
        sum += weights[o * In + k] * in[k];
      out[o] = sum > 0 ? sum : T(0.1) * sum;
    }
  }
};

// bank: x in [n, 3] -1:1 | w in [41] -1:1 | y out [n] | n = 12
KERNEL void layers_as_functors(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T in[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]}, a[4], b[4], out[1];
  Dense<T, 3, 4>{w}(in, a);
  Dense<T, 4, 4>{w + 16}(a, b);
  Dense<T, 4, 1>{w + 36}(b, out);
  y[i] = out[0];
}

// bank: x in [n, 12] -1:1 | f in [5] -1:1 | y out [n, 12] | n = 10
KERNEL void dilated_causal_convolution(const T *x, const T *f, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int t = 0; t < 12; ++t) {
    T sum = f[4];
    for (int k = 0; k < 4; ++k) {
      int from = t - 2 * k;
      if (from < 0)
        break;
      sum += f[k] * x[12 * i + from];
    }
    y[12 * i + t] = tanh(sum);
  }
}

// bank: x in [n] -2:2 | s real 0.1:0.5 | z real -3:3 | y out [n] | n = 40
KERNEL void quantised_with_smooth_rest(const T *x, DIFF T s, DIFF T z, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i] / s + z, rounded = rint(v);
  y[i] = (rounded - z) * s + T(0.1) * sin(v - rounded);
}

// bank: a in [n, 4] 0:1 | b in [n, 4] 0:1 | y out [n] | n = 30
KERNEL void overlap_of_boxes(const T *a, const T *b, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  struct Box {
    T x0, y0, x1, y1;
    __device__ T area() const { return (x1 - x0) * (y1 - y0); }
  };
  auto make = [](const T *p) { return Box{p[0], p[1], p[0] + p[2] + T(0.3), p[1] + p[3] + T(0.3)}; };
  Box p = make(a + 4 * i), q = make(b + 4 * i);
  Box common{std::max(p.x0, q.x0), std::max(p.y0, q.y0), std::min(p.x1, q.x1), std::min(p.y1, q.y1)};
  T inside = common.x1 > common.x0 && common.y1 > common.y0 ? common.area() : T(0);
  y[i] = inside / (p.area() + q.area() - inside);
}
