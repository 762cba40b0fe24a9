// Integers beside numbers: random generators, hashes, packed indices, tables, sampling, rounding.
#include "bank.h"

__device__ inline unsigned pcg(unsigned v) {
  unsigned s = v * 747796405u + 2891336453u, w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;
  return (w >> 22u) ^ w;
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
KERNEL void monte_carlo_with_own_generator(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  unsigned state = 1234u + i;
  T sum = 0;
  for (int s = 0; s < 16; ++s) {
    state = pcg(state);
    T u = (state & 0xffffff) * T(1.0 / 16777216);
    state = pcg(state);
    T v = (state >> 8) * T(1.0 / 16777216);
    T r = sqrt(T(-2) * log(u + T(1e-6))) * cos(T(6.2831853) * v);
    T sample = x[2 * i] + exp(x[2 * i + 1]) * r;
    sum += sample * sample;
  }
  y[i] = sum / 16;
}

// bank: table in [32] -1:1 | x in [n, 2] 0:6.9 | y out [n] | n = 20
KERNEL void hash_grid_lookup(const T *table, const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T sum = 0;
  for (int level = 0; level < 3; ++level) {
    T sx = x[2 * i] * (1 << level), sy = x[2 * i + 1] * (1 << level);
    unsigned cx = static_cast<unsigned>(sx), cy = static_cast<unsigned>(sy);
    T fx = sx - cx, fy = sy - cy;
    for (unsigned corner = 0; corner < 4; ++corner) {
      unsigned ax = corner & 1, ay = corner >> 1;
      unsigned at = ((cx + ax) ^ ((cy + ay) * 2654435761u)) % 32;
      sum += (ax ? fx : 1 - fx) * (ay ? fy : 1 - fy) * table[at];
    }
  }
  y[i] = sum;
}

// bank: x in [n, 8] -1:1 | k in i32 [n] 0:65536 | y out [n] | n = 20
KERNEL void bits_as_switches(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  unsigned bits = k[i];
  T s = 1;
  while (bits) {
    int lowest = __ffs(bits) - 1;
    bits &= bits - 1;
    s = lowest < 8 ? s + x[8 * i + lowest] * s : s * (1 + T(0.1) * x[8 * i + (lowest & 7)]);
  }
  y[i] = s * __popc(k[i]);
}

// bank: x in [n, 4] -3:3 | y out [n, 2] | n = 20
KERNEL void quantized_straight_through(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0, r = 0;
  for (int c = 0; c < 4; ++c) {
    T v = x[4 * i + c];
    T q = rint(v * 4) / 4;
    s += v * q;
    r += v - floor(v) + trunc(v) * v + ceil(v) * T(0.5) * v;
  }
  y[2 * i] = s;
  y[2 * i + 1] = r;
}

// bank: x in [n, 6] 0.1:1 | u in [n] 0.05:0.95 | y out [n] | n = 20
KERNEL void inverse_cdf_sampling(const T *x, const T *u, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T total = 0;
  for (int c = 0; c < 6; ++c)
    total += x[6 * i + c];
  T target = u[i] * total, before = 0;
  int c = 0;
  for (; c < 5; ++c) {
    if (before + x[6 * i + c] > target)
      break;
    before += x[6 * i + c];
  }
  y[i] = c + (target - before) / x[6 * i + c];
}

// bank: x in [n, 6] -1:1 | k in i32 [n, 6] 0:6 | y out [n, 6] | n = 12
KERNEL void scatter_gather_permute(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v[6] = {};
  for (int c = 0; c < 6; ++c)
    v[k[6 * i + c]] += x[6 * i + c] * x[6 * i + k[6 * i + c]];
  for (int c = 0; c < 6; ++c)
    v[c] = v[k[6 * i + c]] + T(0.5) * v[c];
  for (int c = 0; c < 6; ++c)
    y[6 * i + c] = v[c] * v[5 - c];
}

// bank: v in [m] -1:1 | at in rowptr [n + 1] | col in i32 [m] 0:10 | x in [10] -1:1 | y out [n] | n = 9 | m = 9
KERNEL void sparse_rows_with_max(const T *v, const int *at, const int *col, const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0, most = T(-10);
  for (int e = at[i]; e < at[i + 1]; ++e) {
    T term = v[e] * x[col[e]];
    s += term * term;
    if (term > most)
      most = term;
  }
  y[i] = at[i] == at[i + 1] ? x[i] : s + most;
}

// bank: x in [n, 4] -1:1 | y out [n, 2] | n = 16
KERNEL void integer_polynomials(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[4 * i], s = 0;
  long long factorial = 1;
  for (int k = 0; k < 8; ++k) {
    s += pow(a, T(k)) / factorial;
    factorial *= k + 1;
  }
  short sign = -1;
  T t = 0;
  for (unsigned char c = 250; c >= 248 && c != 0; ++c) { // wraps
    t += sign * x[4 * i + c % 4] * c / 250;
    sign = -sign;
  }
  y[2 * i] = s;
  y[2 * i + 1] = t * s;
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 16
KERNEL void constexpr_gauss_nodes(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  struct Rule {
    double node, weight;
  };
  static constexpr Rule rules[] = {{-0.774596669, 0.555555556}, {0, 0.888888889}, {0.774596669, 0.555555556}};
  T s = 0, half = (x[2 * i + 1] - x[2 * i]) / 2, mid = (x[2 * i + 1] + x[2 * i]) / 2;
  for (const Rule &r : rules) {
    T u = mid + half * T(r.node);
    s += T(r.weight) * (u > 0 ? sqrt(u + 1) : exp(u));
  }
  y[i] = s * half;
}
