// Simulation: integrators, particles, springs, stencils, searches and tables.
#include "bank.h"

template <class T> struct State {
  T x, v;
  __device__ State operator+(State o) const { return {x + o.x, v + o.v}; }
  __device__ friend State operator*(T s, State a) { return {s * a.x, s * a.v}; }
};

template <class T, class F> __device__ State<T> runge_kutta(State<T> s, T t, T h, F &&rate) {
  State<T> k1 = rate(s, t), k2 = rate(s + h / 2 * k1, t + h / 2), k3 = rate(s + h / 2 * k2, t + h / 2),
           k4 = rate(s + h * k3, t + h);
  return s + h / 6 * (k1 + T(2) * k2 + T(2) * k3 + k4);
}

// bank: x in [n, 4] 0.2:1 | y out [n, 2] | n = 12 | steps = 20
KERNEL void driven_pendulum(const T *x, T *y, int n, int steps) {
  int i = thread_index();
  if (i >= n)
    return;
  T damping = x[4 * i + 2], drive = x[4 * i + 3];
  State<T> s{x[4 * i], x[4 * i + 1]};
  auto rate = [&](State<T> a, T t) { return State<T>{a.v, -sin(a.x) - damping * a.v + drive * cos(T(0.7) * t)}; };
  for (int k = 0; k < steps; ++k)
    s = runge_kutta(s, T(k) * T(0.1), T(0.1), rate);
  y[2 * i] = s.x;
  y[2 * i + 1] = s.v;
}

// bank: x in [n, 2] 0.5:1.5 | y out [n] | n = 12 | @tol 1e-5 | @float_tol 5e-2
KERNEL void adaptive_steps(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[2 * i], rate = x[2 * i + 1], t = 0, h = T(0.2);
  auto f = [&](T a) { return -rate * a + T(0.3) * sin(3 * a); };
  while (t < T(0.999)) {
    if (t + h > 1)
      h = 1 - t;
    T k1 = f(v), euler = v + h * k1, heun = v + h / 2 * (k1 + f(euler));
    T error = fabs(heun - euler);
    if (error > T(0.02)) {
      h *= T(0.5);
      continue;
    }
    v = heun;
    t += h;
    if (error < T(0.002))
      h *= T(1.5);
  }
  y[i] = v;
}

// bank: x in [n, 6] -1:1 | y out [n, 3] | n = 12 | steps = 15
KERNEL void verlet_in_a_well(const T *x, T *y, int n, int steps) {
  int i = thread_index();
  if (i >= n)
    return;
  T p[3], v[3], a[3];
  auto force = [&] {
    T r2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    for (int c = 0; c < 3; ++c)
      a[c] = -p[c] * (1 + T(0.5) * r2);
  };
  for (int c = 0; c < 3; ++c) {
    p[c] = x[6 * i + c];
    v[c] = x[6 * i + 3 + c];
  }
  force();
  const T h = T(0.05);
  for (int k = 0; k < steps; ++k) {
    for (int c = 0; c < 3; ++c) {
      v[c] += h / 2 * a[c];
      p[c] += h * v[c];
    }
    force();
    for (int c = 0; c < 3; ++c)
      v[c] += h / 2 * a[c];
  }
  for (int c = 0; c < 3; ++c)
    y[3 * i + c] = p[c] + v[c];
}

// bank: p in [n, 3] -1.5:1.5 | e real 0.5:1.5 | s real 0.6:0.9 | f out [n, 3] | n = 8 | @tol 1e-5 | @float_tol 1e-2
KERNEL void lennard_jones(const T *p, DIFF T e, DIFF T s, T *f, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < n; ++j) {
    if (i == j)
      continue;
    T dx = p[3 * i] - p[3 * j], dy = p[3 * i + 1] - p[3 * j + 1], dz = p[3 * i + 2] - p[3 * j + 2];
    T r2 = dx * dx + dy * dy + dz * dz + T(0.5);
    if (r2 > 6)
      continue;
    T q = s * s / r2, q3 = q * q * q, scale = 24 * e * q3 * (2 * q3 - 1) / r2;
    fx += scale * dx, fy += scale * dy, fz += scale * dz;
  }
  f[3 * i] = fx, f[3 * i + 1] = fy, f[3 * i + 2] = fz;
}

// bank: p in [n, 3] -0.6:0.6 | m in [n] 0.5:1.5 | d out [n] | n = 10
KERNEL void smoothed_density(const T *p, const T *m, T *d, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T h = T(0.9);
  T sum = 0;
  for (int j = 0; j < n; ++j) {
    T r2 = T(0.01);
    for (int c = 0; c < 3; ++c)
      r2 += (p[3 * i + c] - p[3 * j + c]) * (p[3 * i + c] - p[3 * j + c]);
    T q = sqrt(r2) / h, w = 0;
    if (q < T(0.5))
      w = 6 * (q * q * q - q * q) + 1;
    else if (q < 1)
      w = 2 * (1 - q) * (1 - q) * (1 - q);
    sum += m[j] * w;
  }
  d[i] = sum * T(2.546479) / (h * h * h);
}

// bank: p in [n, 2] -1:1 | first in i32 [m] 0:8 | second in i32 [m] 0:8 | k in [m] 0.5:2 | f inout [n, 2] | n = 8
// bank: m = 14 | @threads m
KERNEL void spring_network(const T *p, const int *first, const int *second, const T *k, T *f, int n, int m) {
  int e = thread_index();
  if (e >= m || first[e] == second[e])
    return;
  int a = first[e], b = second[e];
  T dx = p[2 * b] - p[2 * a], dy = p[2 * b + 1] - p[2 * a + 1], l = sqrt(dx * dx + dy * dy + T(0.05));
  T s = k[e] * (l - T(0.7)) / l;
  atomicAdd(&f[2 * a], s * dx);
  atomicAdd(&f[2 * a + 1], s * dy);
  atomicAdd(&f[2 * b], -s * dx);
  atomicAdd(&f[2 * b + 1], -s * dy);
}

// bank: u in [h, w] -1:1 | y out [h, w] | h = 6 | w = 7 | @threads h * w
KERNEL void anisotropic_diffusion(const T *u, T *y, int h, int w) {
  int i = thread_index();
  if (i >= h * w)
    return;
  int r = i / w, c = i % w;
  const int dr[4] = {-1, 1, 0, 0}, dc[4] = {0, 0, -1, 1};
  T sum = 0;
  for (int k = 0; k < 4; ++k) {
    int rr = r + dr[k], cc = c + dc[k];
    if (rr < 0 || rr >= h || cc < 0 || cc >= w)
      continue;
    T d = u[rr * w + cc] - u[i];
    sum += d * exp(-d * d * 2);
  }
  y[i] = u[i] + T(0.2) * sum;
}

// bank: u in [n, 2] 0.1:1 | y out [n, 2] | n = 16
KERNEL void reaction_and_diffusion(const T *u, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  int left = (i + n - 1) % n, right = (i + 1) % n;
  T a = u[2 * i], b = u[2 * i + 1];
  T la = u[2 * left] + u[2 * right] - 2 * a, lb = u[2 * left + 1] + u[2 * right + 1] - 2 * b;
  T r = a * b * b;
  y[2 * i] = a + T(0.16) * la - r + T(0.035) * (1 - a);
  y[2 * i + 1] = b + T(0.08) * lb + r - T(0.1) * b;
}

// bank: u in [n] 0.5:2 | y out [n] | n = 20
KERNEL void flux_with_limiter(const T *u, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto at = [&](int k) { return u[(k + n) % n]; };
  auto slope = [&](int k) {
    T a = at(k) - at(k - 1), b = at(k + 1) - at(k);
    if (a * b <= 0)
      return T(0);
    return fabs(a) < fabs(b) ? a : b;
  };
  auto flux = [&](int k) {
    T l = at(k) + slope(k) / 2, r = at(k + 1) - slope(k + 1) / 2;
    return (l * l / 2 + r * r / 2) / 2 - fmax(fabs(l), fabs(r)) * (r - l) / 2;
  };
  y[i] = u[i] - T(0.1) * (flux(i) - flux(i - 1));
}

// bank: knots in [n, 9] 0.2:1 | v in [n, 9] -1:1 | x in [n] 0.3:3.5 | y out [n] | n = 24
KERNEL void search_then_interpolate(const T *knots, const T *v, const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T at[9];
  at[0] = 0;
  for (int k = 1; k < 9; ++k)
    at[k] = at[k - 1] + knots[9 * i + k];
  int low = 0, high = 8;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    (at[middle] <= x[i] ? low : high) = middle;
  }
  T s = (x[i] - at[low]) / (at[high] - at[low]);
  y[i] = v[9 * i + low] * (1 - s) + v[9 * i + high] * s;
}

// bank: x in [n] 0:7.9 | w in [n] -1:1 | h inout [bins] | n = 40 | bins = 9
KERNEL void soft_histogram(const T *x, const T *w, T *h, int n, int bins) {
  int i = thread_index();
  if (i >= n)
    return;
  int b = static_cast<int>(x[i]);
  T f = x[i] - b;
  atomicAdd(h + b, w[i] * (1 - f));
  if (b + 1 < bins)
    atomicAdd(h + b + 1, w[i] * f);
}

// bank: row in rowptr [9] | col in i32 [n] 0:8 | val in [n] -1:1 | x in [8] -1:1 | y out [8] | n = 30 | rows = 8
// bank: @threads rows
KERNEL void csr_with_nonlinear_diagonal(const int *row, const int *col, const T *val, const T *x, T *y, int n,
                                        int rows) {
  int r = thread_index();
  if (r >= rows)
    return;
  T sum = 0, diagonal = 1;
  for (int k = row[r]; k < row[r + 1]; ++k) {
    if (col[k] == r) {
      diagonal += val[k] * val[k];
      continue;
    }
    sum += val[k] * x[col[k]];
  }
  y[r] = (x[r] - sum) / diagonal;
}

// bank: x in [n, 2] 0.3:2 | y out [n] | n = 24 | @tol 1e-5
KERNEL void newton_with_early_exit(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[2 * i], b = x[2 * i + 1], v = 1;
  for (int k = 0; k < 50; ++k) {
    T f = exp(v) * a - b - v, d = exp(v) * a - 1;
    if (fabs(d) < T(1e-3))
      d = d < 0 ? T(-1e-3) : T(1e-3);
    T next = v - f / (d * (1 + T(0.1) * fabs(f)));
    if (fabs(next - v) < T(1e-3))
      break;
    v = next;
    if (k > 6)
      break;
  }
  y[i] = v;
}

// bank: x in [n, 3] -1:1 | y out [n] | n = 30
KERNEL void bisection_on_a_cubic(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto f = [&](T v) { return v * v * v + x[3 * i] * v + x[3 * i + 1]; };
  T low = -3, high = 3;
  for (int k = 0; k < 5; ++k) {
    T middle = (low + high) / 2;
    if ((f(middle) > 0) == (f(high) > 0))
      high = middle;
    else
      low = middle;
  }
  // The bracket is constant; the last step is not.
  T v = (low + high) / 2;
  y[i] = v - f(v) / (3 * v * v + x[3 * i]) * x[3 * i + 2];
}

template <class T> struct Dual {
  T value, slope;
  __device__ Dual(T v, T s = 0) : value(v), slope(s) {}
  __device__ friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  __device__ friend Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  __device__ friend Dual sine(Dual a) { return {sin(a.value), cos(a.value) * a.slope}; }
};

// bank: x in [n, 3] -1:1 | y out [n, 2] | n = 30
KERNEL void newton_on_dual_numbers(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[3 * i];
  for (int k = 0; k < 3; ++k) {
    Dual<T> d(v, 1), f = d * d * Dual<T>(x[3 * i + 1]) + sine(d) + Dual<T>(2) * d + Dual<T>(x[3 * i + 2]);
    v -= f.value / (f.slope + 3);
  }
  y[2 * i] = v;
  y[2 * i + 1] = v * v;
}

// bank: x in [n, 5] -1:1 | y out [n] | n = 20
ONCE_KERNEL void simpson_with_levels(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto f = [&](T t) { return x[5 * i] * exp(x[5 * i + 1] * t) + x[5 * i + 2] * sin(3 * t); };
  // A stack in place of recursion: intervals that are too coarse are halved.
  T from[12], to[12];
  int top = 0;
  from[0] = 0, to[0] = 1 + x[5 * i + 3] * T(0.2);
  T sum = 0;
  while (top >= 0) {
    T a = from[top], b = to[top], m = (a + b) / 2;
    --top;
    T whole = (b - a) / 6 * (f(a) + 4 * f(m) + f(b));
    T halves = (b - a) / 12 * (f(a) + 4 * f((a + m) / 2) + 2 * f(m) + 4 * f((m + b) / 2) + f(b));
    if (fabs(whole - halves) < T(1e-4) || b - a < T(0.2)) {
      sum += halves;
    } else {
      ++top;
      from[top] = a, to[top] = m;
      ++top;
      from[top] = m, to[top] = b;
    }
  }
  y[i] = sum;
}

// bank: s in [n] 0.8:1.2 | vol in [n] 0.1:0.4 | r real 0.01:0.05 | y out [n, 2] | n = 30
KERNEL void option_price_and_lattice(const T *s, const T *vol, DIFF T r, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T sd = vol[i], d1 = (log(s[i]) + (r + sd * sd / 2)) / sd, d2 = d1 - sd;
  y[2 * i] = s[i] * normcdf(d1) - exp(-r) * normcdf(d2);
  constexpr int steps = 6;
  T h = T(1) / steps, up = exp(sd * sqrt(h)), p = (exp(r * h) - 1 / up) / (up - 1 / up), v[steps + 1];
  for (int k = 0; k <= steps; ++k)
    v[k] = fmax(s[i] * pow(up, T(2 * k - steps)) - 1, T(0));
  for (int k = steps; k > 0; --k)
    for (int j = 0; j < k; ++j)
      v[j] = exp(-r * h) * (p * v[j + 1] + (1 - p) * v[j]);
  y[2 * i + 1] = v[0];
}

// bank: a in [n, 6] 0.1:1 | b in [n, 6] 0.1:1 | y out [n] | n = 16
KERNEL void time_warping(const T *a, const T *b, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T row[7] = {0, 100, 100, 100, 100, 100, 100};
  for (int r = 0; r < 6; ++r) {
    T diagonal = row[0];
    row[0] = 100;
    for (int c = 1; c < 7; ++c) {
      T d = a[6 * i + r] - b[6 * i + c - 1], above = row[c];
      row[c] = d * d + std::min(std::min(above, row[c - 1]), diagonal);
      diagonal = above;
    }
  }
  y[i] = row[6];
}

// bank: x in [n, 8] -1:1 | y out [n, 8] | n = 12 | passes = 3
KERNEL void smoothing_in_two_buffers(const T *x, T *y, int n, int passes) {
  int i = thread_index();
  if (i >= n)
    return;
  T first[8], second[8], *from = first, *to = second;
  for (int k = 0; k < 8; ++k)
    first[k] = x[8 * i + k];
  for (int p = 0; p < passes; ++p) {
    for (int k = 0; k < 8; ++k)
      to[k] = from[k] + T(0.25) * sin(from[(k + 7) % 8] - 2 * from[k] + from[(k + 1) % 8]);
    T *t = from;
    from = to;
    to = t;
  }
  for (int k = 0; k < 8; ++k)
    y[8 * i + k] = from[k];
}

// bank: x in [n, 4] -1:1 | y out [n] | n = 16 | steps = 30
KERNEL void hidden_states(const T *x, T *y, int n, int steps) {
  int i = thread_index();
  if (i >= n)
    return;
  T alpha[2] = {T(0.5), T(0.5)}, scale = 0;
  for (int t = 0; t < steps; ++t) {
    T next[2];
    for (int s = 0; s < 2; ++s) {
      T stay = 1 / (1 + exp(-x[4 * i + s])),
        emission = exp(-T(0.5) * (x[4 * i + 2 + s] - T(t % 3) / 3) * (x[4 * i + 2 + s] - T(t % 3) / 3));
      next[s] = emission * (stay * alpha[s] + (1 - stay) * alpha[1 - s]);
    }
    T sum = next[0] + next[1];
    scale += log(sum);
    alpha[0] = next[0] / sum, alpha[1] = next[1] / sum;
  }
  y[i] = scale;
}
