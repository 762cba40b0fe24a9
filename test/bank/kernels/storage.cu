// What is stored and what is computed again, as the source says: on variables and functions.
#include "bank.h"

template <class T> __device__ T bend(T s, T x) { return sin(s * x) + s * s * T(0.1); }
template <class T> [[kernix::store]] __device__ T stored_bend(T s, T x) { return sin(s * x) + s * s * T(0.1); }
template <class T> [[kernix::recompute]] __device__ T recomputed_bend(T s, T x) {
  T t = s;
  for (int k = 0; k < 3; ++k)
    t = cos(t * x) + T(0.1) * t;
  return t;
}
template <class T> struct Pair {
  T a, b;
};
template <class T> [[kernix::store]] __device__ Pair<T> stored_pair(T s, T x) { return {sin(s * x), s * exp(-x * x)}; }

template <class T> struct Counted {
  T v;
  int n;
};
template <class T> [[kernix::store]] __device__ Counted<T> stored_and_counted(T s, int k) {
  return {sin(s * k), k % 3};
}

// bank: x in [n] 0.5:1 | y out [n] | n = 20
KERNEL void stored_mixed_struct(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T sum = x[i];
  [[kernix::store]] Counted<T> last = {x[i], 1};
  for (int k = 0; k < 40; ++k) {
    Counted<T> c = stored_and_counted(x[i], k);
    sum += c.v * c.v * last.v;
    if (c.n)
      last.v = c.v;
    last.n = k % 2;
    last.v *= T(0.5) + last.n;
  }
  y[i] = sum;
}

// bank: x in [n] 0.5:1 | y out [n] | n = 20
KERNEL void stored_variable(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T sum = 0;
  for (int k = 0; k < 30; ++k) {
    [[kernix::store]] T t = sin(x[i] * T(k + 1));
    sum += t * t * exp(t);
  }
  y[i] = sum;
}

// bank: x in [n] 0.5:1 | y out [n] | m = 23 | n = 20
KERNEL void stored_state(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  [[kernix::store]] T s = x[i];
  [[kernix::max_iters(40)]] for (int k = 0; k < m; ++k)
    s = bend(s, x[i]);
  y[i] = s;
}

// bank: x in [n] 0.5:1 | y out [n] | n = 20
KERNEL void recomputed_state(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  [[kernix::recompute]] T s = x[i];
  for (int k = 0; k < 130; ++k)
    s = bend(s, x[i]);
  y[i] = s;
}

// bank: x in [n] -1:1 | c in i32 [n] 0:7 | y out [n] | n = 30
KERNEL void stored_in_some_iterations(const T *x, const int *c, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  [[kernix::max_iters(12)]] for (int k = 0; k < 5 + c[i]; ++k) {
    if ((k + c[i]) % 3 == 0)
      continue;
    [[kernix::store]] T t = s * x[i];
    if (t > T(0.8))
      t = exp(-t) + t * t;
    else if (k == 9)
      break;
    s = s * T(0.7) + t * sin(t);
  }
  y[i] = s * s;
}

// bank: x in [n] 0.5:1 | y out [n] | n = 20
KERNEL void stored_results(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i], p = 0;
  for (int k = 0; k < 17; ++k) {
    Pair<T> two = stored_pair(s, x[i]);
    s = stored_bend(s, x[i]) * T(0.5) + two.b * two.a;
    p += s * two.a;
  }
  y[i] = s * p;
}

// bank: x in [n] 0.5:1 | y out [n] | n = 20
KERNEL void recomputed_results(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int k = 0; k < 70; ++k)
    s = recomputed_bend(s, x[i]) * s;
  y[i] = s;
}

// bank: x in [n] 0.5:1 | y out [n] | m = 9 | n = 20
KERNEL void stored_in_a_nest(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int j = 0; j < m; ++j) {
    T total = 0;
    [[kernix::max_iters(8)]] for (int k = 0; k < m - 2; ++k) {
      [[kernix::store]] T t = sin(s * T(k) + x[i]);
      total += t * t * t;
    }
    s = s * T(0.5) + total * T(0.2) * s;
  }
  y[i] = s;
}

// bank: x in [n] 0.5:1 | k in i32 [n] 0:4 | y out [n] | n = 20
KERNEL void stored_array(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  [[kernix::store]] T a[4] = {x[i], 1, 2, T(0.5)};
  for (int j = 0; j < 300; ++j)
    a[(k[i] + j) % 4] = sin(a[(k[i] + 3 * j) % 4] * x[i]) + T(0.1) * a[j % 4];
  y[i] = a[k[i]] + a[0] * a[1];
}

// bank: x in [n] 0.5:1 | k in i32 [n] 0:4 | y out [n] | n = 20
KERNEL void stored_table(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T sum = 0;
  for (int j = 0; j < 10; ++j) {
    [[kernix::store]] T table[4];
    for (int l = 0; l < 4; ++l)
      table[(l + k[i]) % 4] = exp(-x[i] * T(l + j) * T(0.3));
    sum += table[k[i]] * table[j % 4] * sum + table[1];
  }
  y[i] = sum;
}

template <class T> [[kernix::store]] __global__ void stored_kernel(const T *x, T *y, int n);
// bank: x in [n] 0.5:1 | y out [n] | n = 20
KERNEL void stored_kernel(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  int steps = 0;
  for (int k = 0; k < 300; ++k)
    s = bend(s, x[i]);
  [[kernix::recompute]] while (s > T(0.2) && steps < 60) {
    s *= T(0.9) + T(0.05) * sin(s);
    ++steps;
  }
  y[i] = s;
}

// bank: x in [n] 0.5:1 | y out [n] | n = 20
KERNEL void stored_struct(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  [[kernix::store]] Pair<T> p = {x[i], 1};
  for (int k = 0; k < 25; ++k)
    p = Pair<T>{bend(p.b, x[i]), p.a * T(0.3) + p.b * p.b * T(0.1)};
  y[i] = p.a * p.b;
}

// bank: x in [n] 0.5:1 | seed in i32 [n] 1:1000 | y out [n] | n = 20
KERNEL void stored_integer(const T *x, const int *seed, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  [[kernix::store]] unsigned state = seed[i];
  T s = x[i];
  for (int k = 0; k < 40; ++k) {
    state = state * 1664525u + 1013904223u;
    s = s * T(0.8) + sin(s * T(state >> 24) * T(0.01));
  }
  y[i] = s;
}
