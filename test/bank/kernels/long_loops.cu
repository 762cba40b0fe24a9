// Loops with a state that is too long to keep: checkpoints, inversion, plain sums.
#include "bank.h"

// bank: x in [n] -1:1 | y out [n] | n = 2 | m = 1000000 | @tol 1e-5 | @float_tol 2e-2
KERNEL void million_contractions(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < m; ++k)
    v = v + T(1e-6) * (cos(v) - v);
  y[i] = v;
}

// bank: x in [n] 0.1:0.4 | r in [n] 2.5:2.9 | y out [n] | n = 3 | m = 100000
KERNEL void logistic_map(const T *x, const T *r, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < m; ++k)
    v = r[i] * v * (1 - v);
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 2 | m = 200000 | @float_tol 2e-2
KERNEL void long_sum(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int k = 0; k < m; ++k)
    s += sin(x[i] + T(k) * T(1e-5));
  y[i] = s / m;
}

// bank: x in [n] 0.5:1 | v in [n] -0.5:0.5 | y out [n] | n = 2 | m = 20000 | @tol 1e-5 | @float_tol 2e-2
KERNEL void oscillator_two_states(const T *x, const T *v, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T p = x[i], q = v[i];
  T h = T(6) / m;
  for (int k = 0; k < m; ++k) {
    q -= h * p * p * p;
    p += h * q;
  }
  y[i] = p + 2 * q;
}

// bank: x in [n] 0.5:1 | y out [n] | n = 2 | m = 70 | k = 90
KERNEL void long_nested(const T *x, T *y, int n, int m, int k) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int a = 0; a < m; ++a) {
    for (int b = 0; b < k; ++b)
      s = s + T(0.001) * sin(s * (1 + b % 3));
    if (s > 4)
      s = s * T(0.5);
  }
  y[i] = s;
}

// bank: x in [n] 0.5:1 | y out [n] | n = 3 | m = 5000
KERNEL void long_with_early_exit(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int a = 0; a < m; ++a) {
    s = s + T(0.001) * s * cos(s);
    if (s > T(0.2) && a > 900 * (i + 1))
      break;
  }
  y[i] = s * s;
}

// bank: x in [m] -1:1 | w in [2] 0.2:0.8 | y out [n] | n = 2 | m = 700
KERNEL void long_recurrence_over_input(const T *x, const T *w, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T state = 0;
  for (int k = 0; k < m; ++k)
    state = tanh(w[i] * state + x[k]);
  y[i] = state;
}

// bank: x in [n] -1:1 | y out [n] | n = 3 | m = 4097
KERNEL void one_past_a_level(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int k = 0; k < m; ++k)
    s = s - T(0.001) * s * s * s + T(0.0001);
  y[i] = s;
}

// bank: x in [n] -1:1 | y out [n] | n = 8
KERNEL void trips_around_the_slots(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int k = 0; k < 60 + i; ++k)
    s = s + T(0.02) * cos(s * 3);
  y[i] = s;
}
