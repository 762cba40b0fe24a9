// Small containers, structs with operators, references, swaps, walks of pointers, tables of functions.
#include "bank.h"
#include <algorithm>

template <class T, int N> struct Array {
  T data[N];
  int used = 0;
  __device__ T &operator[](int i) { return data[i]; }
  __device__ const T &operator[](int i) const { return data[i]; }
  __device__ void push(T v) {
    if (used < N)
      data[used++] = v;
  }
  __device__ T pop() { return used > 0 ? data[--used] : T(0); }
  __device__ T *begin() { return data; }
  __device__ T *end() { return data + used; }
};

// bank: x in [n, 5] -1:1 | y out [n, 2] | n = 14
ONCE_KERNEL void push_and_pop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Array<T, 8> a;
  for (int c = 0; c < 5; ++c) {
    a.push(x[5 * i + c]);
    if (x[5 * i + c] > T(0.4))
      a.push(x[5 * i + c] * x[5 * i]);
    if (a.used > 3 && x[5 * i + c] < 0)
      a.push(a.pop() * a.pop());
  }
  T s = 1;
  for (T &v : a)
    s += v *= s;
  y[2 * i] = s;
  y[2 * i + 1] = a.pop();
}

template <class T> struct Particle {
  T p[2], v[2];
  int alive;
};
template <class T> __device__ void advance(Particle<T> &a, T h) {
  for (int c = 0; c < 2; ++c)
    a.p[c] += h * (a.v[c] -= h * a.p[c] * a.p[c]);
  if (a.p[0] > T(0.9))
    a.alive = 0;
}

// bank: x in [n, 4] -1:1 | y out [n, 2] | n = 14
KERNEL void particle_by_reference(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Particle<T> pair[2];
  for (int k = 0; k < 2; ++k)
    pair[k] = {{x[4 * i + k], x[4 * i + 2]}, {x[4 * i + 3], x[4 * i + 1 - k]}, 1};
  for (int t = 0; t < 5; ++t)
    for (auto &each : pair)
      if (each.alive)
        advance(each, T(0.2));
  Particle<T> &first = pair[i & 1], *second = &pair[1 - (i & 1)];
  y[2 * i] = first.p[0] * second->p[1];
  y[2 * i + 1] = first.v[0] + second->v[1] * second->alive;
}

template <class T> struct Matrix {
  T m[2][2];
  static __device__ Matrix identity() { return {{{1, 0}, {0, 1}}}; }
  __device__ Matrix operator*(const Matrix &o) const {
    Matrix r{};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        for (int k = 0; k < 2; ++k)
          r.m[i][j] += m[i][k] * o.m[k][j];
    return r;
  }
  __device__ Matrix &operator*=(const Matrix &o) { return *this = *this * o; }
  __device__ Matrix power(unsigned e) const {
    Matrix r = identity(), b = *this;
    for (; e; e >>= 1) {
      if (e & 1)
        r *= b;
      b *= b;
    }
    return r;
  }
  __device__ operator T() const { return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }
};

// bank: x in [n, 4] -1:1 | k in i32 [n] 0:11 | y out [n, 2] | n = 16
KERNEL void matrix_power_by_squaring(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Matrix<T> a{{{x[4 * i], x[4 * i + 1]}, {x[4 * i + 2], x[4 * i + 3]}}};
  Matrix<T> p = a.power(k[i]);
  y[2 * i] = p.m[0][1] + p.m[1][1];
  y[2 * i + 1] = T(a) * p.m[0][0];
}

template <class T> __device__ void rotate_three(T &a, T &b, T &c) {
  T t = a;
  a = b;
  b = c;
  c = t;
}
template <class T> __device__ void order(T &a, T &b) {
  if (b < a) {
    T t = a;
    a = b;
    b = t;
  }
}

// bank: x in [n, 5] -1:1 | y out [n, 3] | n = 16
KERNEL void swaps_through_references(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v[5];
  for (int c = 0; c < 5; ++c)
    v[c] = x[5 * i + c];
  order(v[0], v[1]), order(v[3], v[4]), order(v[0], v[3]), order(v[1], v[4]), order(v[1], v[2]), order(v[2], v[3]),
      order(v[1], v[2]);
  for (int t = 0; t < i % 3; ++t)
    rotate_three(v[t], v[t + 1], v[t + 2]);
  y[3 * i] = v[0] * v[4];
  y[3 * i + 1] = v[1] * v[1] + v[2];
  y[3 * i + 2] = v[3] / (2 + v[2]);
}

// bank: x in [n, 6] -1:1 | y out [n, 2] | n = 16
ONCE_KERNEL void pointer_walk_two_ends(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T buffer[6];
  T *out = buffer;
  for (const T *lo = x + 6 * i, *hi = lo + 5; lo <= hi;)
    if (*lo < *hi)
      *out++ = *hi-- * *lo;
    else
      *out++ = *lo++ + T(0.5) * *hi;
  T s = 0, w = 1;
  while (out != buffer) {
    s += w * *--out;
    w *= T(0.8) + T(0.1) * *out;
  }
  y[2 * i] = s;
  y[2 * i + 1] = w;
}

template <class T> struct Options {
  T alpha = T(0.5);
  int mode = 1;
  bool clip = true;
};
template <class T> __device__ T apply(const Options<T> &o, T v) {
  T r = o.mode == 0 ? v : o.mode == 1 ? v * v : exp(o.alpha * v);
  return o.clip && r > T(0.8) ? T(0.8) + o.alpha * (r - T(0.8)) : r;
}

// bank: x in [n, 3] -1:1 | y out [n] | n = 16
KERNEL void options_struct_with_defaults(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Options<T> a, b{x[3 * i], 2, false}, c = a;
  c.mode = i % 3;
  c.alpha *= x[3 * i + 1];
  y[i] = apply(a, x[3 * i + 2]) + apply(b, x[3 * i + 1]) * apply(c, x[3 * i]);
}

// bank: x in [n, 9] -1:1 | y out [n] | n = 12
KERNEL void laplace_expansion_views(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  using Row = const T[3];
  const Row *m = reinterpret_cast<const Row *>(x + 9 * i);
  const T(&a)[3] = m[0];
  T d = 0;
  for (int c = 0; c < 3; ++c)
    d += a[c] * (m[1][(c + 1) % 3] * m[2][(c + 2) % 3] - m[1][(c + 2) % 3] * m[2][(c + 1) % 3]);
  y[i] = d * d * d;
}

template <class T> struct Accumulator {
  T mean = 0, m2 = 0;
  int count = 0;
  __device__ Accumulator &operator<<(T v) {
    ++count;
    T d = v - mean;
    mean += d / count;
    m2 += d * (v - mean);
    return *this;
  }
  __device__ Accumulator operator|(const Accumulator &o) const {
    Accumulator r;
    r.count = count + o.count;
    T d = o.mean - mean;
    r.mean = mean + d * o.count / r.count;
    r.m2 = m2 + o.m2 + d * d * count * o.count / r.count;
    return r;
  }
};

// bank: x in [n, 6] -1:1 | y out [n, 2] | n = 14
KERNEL void merged_statistics(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Accumulator<T> a, b;
  for (int c = 0; c < 6; ++c)
    (c < 2 + i % 3 ? a : b) << x[6 * i + c];
  Accumulator<T> all = a | b;
  y[2 * i] = all.mean * all.m2;
  y[2 * i + 1] = sqrt(all.m2 / 5 + T(0.01));
}

// bank: x in [n, 4] -1:1 | y inout [n, 4] | n = 12
KERNEL void inplace_through_output(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T *row = y + 4 * i;
  for (int c = 0; c < 4; ++c)
    row[c] = x[4 * i + c];
  for (int c = 1; c < 4; ++c)
    row[c] = row[c] * row[c - 1];
  row[0] = row[3] * row[0];
}

// bank: x inout [n, 3] -1:1 | w in [3] 0.5:1.5 | n = 12
KERNEL void inout_relaxation(T *x, const T *w, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int t = 0; t < 3; ++t) {
    T a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    x[3 * i] = w[0] * sin(b) + a * c;
    x[3 * i + 1] = w[1] * a * b;
    x[3 * i + 2] = tanh(w[2] * c + a);
  }
}

// bank: x in [n, 4] -1:1 | y out [n] | n = 16
KERNEL void function_pointers_by_table(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T (*f)(T) = i % 2 ? +[](T v) { return v * v; } : +[](T v) { return sin(v); };
  auto compose = [&](auto g, auto h) { return [=](T v) { return g(h(v)); }; };
  auto both = compose([](T v) { return v + 1; }, f);
  y[i] = both(x[4 * i]) * f(both(x[4 * i + 1]));
}

template <class T> __device__ T squared(T v) { return v * v; }
template <class T> __device__ T halved(T v) { return v / 2; }
template <class T> __device__ T waved(T v) { return sin(v); }

// bank: x in [n] -1:1 | k in i32 [n] 0:4 | y out [n] | n = 20
KERNEL void functions_by_place(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T (*const functions[])(T) = {squared<T>, halved<T>, waved<T>, squared<T>};
  y[i] = functions[k[i]](x[i]) * functions[(k[i] + 1) % 4](x[i]);
}

// Where there is none, the number stays what it is.
// bank: x in [n] -1:1 | k in i32 [n] 0:3 | y out [n] | n = 20
KERNEL void functions_by_place_or_none(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T (*const functions[3][2])(T) = {{squared<T>, nullptr}, {nullptr, waved<T>}, {halved<T>, squared<T>}};
  T v = x[i];
  if (auto *f = functions[k[i]][i % 2])
    v = f(v);
  y[i] = v;
}

// Whether its argument is constant is asked by std::advance, and is not known before all is in one function.
// bank: x in [n] -1:1 | k in i32 [n] 0:20 | y out [n] | n = 20
KERNEL void found_by_searching(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const int *found = std::lower_bound(k, k + n, i);
  const T *other = x;
  std::advance(other, (i * 7) % n);
  y[i] = *std::next(x, i) * *other + (found < k + n ? x[found - k] * x[i] : T(0));
}
