// Views that carry their gradients, in whatever holds and hands on a view.
#include "bank.h"

template <class T> using View = kernix::DiffTensorViewAA<T>;

template <class T> struct Layers {
  View<T> weights, biases;
  int count;
  __device__ T operator()(T v) const {
    for (int k = 0; k < count; ++k)
      v = tanh(weights.load(k) * v + biases.load(k));
    return v;
  }
};
// bank: x in [n] -1:1 | w in [3] -1:1 | b in [3] -1:1 | y out [n] | n = 20
ONCE_KERNEL void views_in_a_struct(const View<T> x, const View<T> w, const View<T> b, View<T> y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Layers<T> layers{w, b, 3};
  y[i] = layers(x[i]) * layers(x.load(i) * 2);
}

// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 20
ONCE_KERNEL void table_of_views(const View<T> x, const View<T> w, View<T> y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const View<T> of[2] = {x, w};
  T s = 0;
  for (int k = 0; k < 3; ++k)
    s += of[(k + i) & 1][i] * of[k & 1].load((i + k) % n) * s + of[1][k];
  y[i] = s;
}

template <class V> struct Reader {
  V view;
  int n;
  __device__ auto operator()(int i) const { return view[(i + n) % n] * 2; }
};
template <class V> struct Both {
  Reader<V> of[2];
  __device__ auto product(int i) const { return of[0](i) * of[1](i + 1); }
};
// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 33
ONCE_KERNEL void readers_that_change_places(const View<T> x, const View<T> w, View<T> y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Both<View<T>> both{{{x, n}, {w, n}}}, changed = both;
  changed.of[0] = changed.of[1];
  y[i] = both.product(i) + changed.product(i - 1);
}

// bank: x in [n] -1:1 | y out [n] | n = 50
ONCE_KERNEL void fixed_loads_of_several_elements(const View<T> x, View<T> y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x.loadFixed(i / 3);
  if (i % 3)
    s *= x.loadFixed(i % 7);
  for (int k = 0; k < i % 4; ++k)
    s += x.loadFixed(k) * s;
  y[i] = s;
}

template <class T> struct Line : View<T> {
  __device__ T at(T u) const {
    int c = min(max(static_cast<int>(floor(u)), 0), 3);
    T f = u - c;
    return this->load(c) * (1 - f) + this->load(c + 1) * f;
  }
};
// bank: x in [5] -1:1 | u in [n] 0.1:3.9 | y out [n] | n = 33
ONCE_KERNEL void view_of_ones_own_over_loads(const Line<T> x, const View<T> u, View<T> y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x.at(u[i]) * x.load(0);
}

template <class T> struct Scaled : kernix::DiffTensorView<T> {
  __device__ void at_bwd(int i, T scale, T *gradient_of_scale, T g) const {
    *gradient_of_scale += g * this->primal(i);
    if (this->differential.data())
      kernix::atomic_add(&this->differential(i), g * scale);
  }
  __device__ kernix::Dual<T> at_fwd(int i, T scale, T tangent) const {
    T own = this->differential.data() ? this->differential(i) : T(0);
    return {scale * this->primal(i), tangent * this->primal(i) + scale * own};
  }
  [[kernix::backward_derivative(&Scaled::at_bwd), kernix::forward_derivative(&Scaled::at_fwd)]] __device__ T
  at(int i, T scale) const {
    return scale * this->primal(i);
  }
};
// bank: x in [5] -1:1 | u in [n] 0.1:3.9 | y out [n] | n = 33
ONCE_KERNEL void view_of_ones_own_with_rules(const Scaled<T> x, const T *u, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = u[i];
  for (int k = 0; k < i % 4; ++k)
    s = x.at(k, s) + (s > 0 ? x.at(4, u[i]) : s);
  y[i] = s;
}

// bank: x in [n] 0.1:1 | w in [3] -1:1 | y out [n] | n = 70
ONCE_KERNEL void gathered_in_loops(const kernix::DiffTensorViewR<T, 4> w, const kernix::DiffTensorViewASR<T, 3> x,
                                   View<T> y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int k = 0; k < 1 + i % 5; ++k)
    s += x[(i + k) % n] * w.load((i + k) % 3) * (s + 1);
  y[i] = s;
}

// bank: x in [n] -1:1 | p in perm [n] | q in perm [n] | y out [n] | n = 21
ONCE_KERNEL void elements_of_views_as_indices(const View<T> x, const kernix::DiffTensorViewAA<int> p,
                                              const kernix::DiffTensorViewAA<int> q, View<T> y, int n) {
  int i = thread_index();
  if (i < n)
    y[q[i]] = x[p[q[i]]] * x.loadUniform(p[i]) + x.loadFixed(p[0]);
}

/// Stores along a row, and weighted: the weight says nothing of where.
template <class T> struct Rows : View<T> {
  __device__ void put_bwd(T, T *g, int c, int weight, int r) const {
    if (this->differential.data())
      *g += weight * this->differential(r, c);
  }
  __device__ void put_fwd(T v, T tangent, int c, int weight, int r) const {
    this->primal(r, c) = weight * v;
    if (this->differential.data())
      this->differential(r, c) = weight * tangent;
  }
  [[kernix::backward_derivative(&Rows::put_bwd), kernix::forward_derivative(&Rows::put_fwd)]] __device__ void
  put(T v, int c, int weight, int r) const {
    this->primal(r, c) = weight * v;
  }
};
// bank: x in [n] -1:1 | y out [5, n] | n = 20 | @strided y
ONCE_KERNEL void stores_told_apart_by_rows(const View<T> x, Rows<T> y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y.put(x[i], i, 2, 0);
  y.put(x[i] * x[i], i, 2, 1);
  y.put(x[i] * x[n - 1 - i], i, 3, 4);
}
// bank: x in [n] -1:1 | y out [5, n] | n = 20 | @strided y
ONCE_KERNEL void weighted_stores_in_a_loop(const View<T> x, Rows<T> y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int k = 0; k < 5; ++k)
    y.put(x[i] * x[k], i, k & 1 ? i : 3, k);
}
// bank: x in [n + 8] -1:1 | y out [n] | n = 20
ONCE_KERNEL void part_of_a_view(const View<T> x, View<T> y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  View<T> part = x;
  part.primal.data_ += 8;
  if (part.differential.data_)
    part.differential.data_ += 8;
  y[i] = part.load(i) * x.load(i);
}
