// Derivatives that are written by hand inside automatic ones, and what the source chooses: constants, stored loops.
#include "bank.h"

template <class T> __device__ void sigmoid_bwd(T x, T *gx, T g) {
  T s = 1 / (1 + exp(-x));
  *gx += s * (1 - s) * g;
}
template <class T> __device__ kernix::Dual<T> sigmoid_fwd(T x, T dx) {
  T s = 1 / (1 + exp(-x));
  return {s, s * (1 - s) * dx};
}
template <class T>
[[kernix::backward_derivative(sigmoid_bwd<T>), kernix::forward_derivative(sigmoid_fwd<T>)]] __device__ T sigmoid(T x) {
  return 1 / (1 + exp(-x));
}

// bank: x in [n] -1:1 | y out [n] | n = 40
KERNEL void rule_in_a_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  for (int k = 0; k < 20; ++k)
    s = sigmoid(s * T(1.5)) + x[i] * s;
  y[i] = s;
}

// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 40
KERNEL void rule_under_conditions(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int k = 0; k < 10; ++k) {
    if (x[i] * w[i] > T(0.1) * k)
      continue;
    s += sigmoid(x[i] + k) * w[i];
    if (s > 4)
      break;
  }
  y[i] = s;
}

template <class T> struct Quad {
  T a, b, c, d;
};
template <class T> __device__ void turn_bwd(const Quad<T> &q, Quad<T> *gq, T angle, T *gangle, Quad<T> g) {
  T s = sin(angle), c = cos(angle);
  gq->a += c * g.a + s * g.b;
  gq->b += c * g.b - s * g.a;
  gq->c += g.c;
  gq->d += g.d * angle;
  *gangle += g.a * (-s * q.a - c * q.b) + g.b * (c * q.a - s * q.b) + g.d * q.d;
}
template <class T> [[kernix::backward_derivative(turn_bwd<T>)]] __device__ Quad<T> turn(const Quad<T> &q, T angle) {
  T s = sin(angle), c = cos(angle);
  return {c * q.a - s * q.b, s * q.a + c * q.b, q.c, q.d * angle};
}
// bank: x in [n, 4] -1:1 | w in [n] -1:1 | y out [n, 4] | n = 20
KERNEL void rule_of_structs(const Quad<T> *x, const T *w, Quad<T> *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Quad<T> q = x[i];
  for (int k = 0; k < 3; ++k)
    q = turn(q, w[i] + q.c);
  y[i] = q;
}

template <class T> __device__ void swap_bwd(T &a, T *ga, T &b, T *gb, T k, T *gk) {
  T g = *ga, h = *gb;
  *gk += g * b;
  *ga = h;
  *gb = g * k;
}
template <class T> __device__ void swap_fwd(T &a, T *da, T &b, T *db, T k, T dk) {
  T old = a, dold = *da;
  a = b * k;
  *da = *db * k + b * dk;
  b = old;
  *db = dold;
}
template <class T>
[[kernix::backward_derivative(swap_bwd<T>), kernix::forward_derivative(swap_fwd<T>)]]
__device__ void scaled_swap(T &a, T &b, T k) {
  T old = a;
  a = b * k;
  b = old;
}
// bank: x in [n, 2] -1:1 | w in [n] 0.5:1.5 | y out [n] | n = 20
KERNEL void rule_of_references(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v[2] = {x[2 * i], x[2 * i + 1]};
  for (int k = 0; k < 4; ++k)
    scaled_swap(v[k % 2], v[(k + 1) % 2], w[i]);
  y[i] = v[0] * v[0] + v[1];
}

template <class T> __device__ void poly_bwd(const T *c, T *gc, int n, T x, T *gx, T g) {
  T p = 1, d = 0;
  for (int k = 0; k < n; ++k) {
    if (gc)
      atomicAdd(gc + k, p * g);
    d = d * x + c[n - 1 - k] * (n - 1 - k);
    p *= x;
  }
  T s = 0;
  for (int k = n - 1; k > 0; --k)
    s = s * x + k * c[k];
  *gx += s * g;
}
template <class T> [[kernix::backward_derivative(poly_bwd<T>)]] __device__ T poly(const T *c, int n, T x) {
  T s = 0;
  for (int k = n - 1; k >= 0; --k)
    s = s * x + c[k];
  return s;
}
// bank: x in [n] -1:1 | c in [5] -1:1 | y out [n] | n = 20
KERNEL void rule_of_pointers(const T *x, const T *c, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T local[3] = {x[i], x[i] * x[i], 1};
  T a = poly(c, 5, x[i]);
  T b = poly(local, 3, a);
  local[1] = a;
  y[i] = b * poly(local, 3, x[i]);
}

// Only differences see the steps of a constant, and they do not step here.
template <class T> [[kernix::no_diff]] __device__ T grid_of(T x) { return floor(x * 4) / 4; }
// bank: x in [n] 0.02:0.98 | y out [n] | n = 20
KERNEL void constants_marked_by_no_diff(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  [[kernix::no_diff]] T base = floor(x[i] * 8);
  T from;
  [[kernix::no_diff]] from = round(x[i] * 100 + T(0.25));
  y[i] = (x[i] - grid_of(x[i])) * base + from * x[i];
}

// bank: x in [n] 0.5:1 | y out [n] | n = 20
KERNEL void stored_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  [[kernix::store]] for (int k = 0; k < 700; ++k)
    s = sin(s * x[i]) + T(0.3);
  y[i] = s;
}

// bank: x in [n] 0.5:1 | y out [n] | n = 20
KERNEL void recomputed_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  [[kernix::recompute]] for (int k = 0; k < 150; ++k)
    s = sin(s * x[i]) + T(0.3);
  y[i] = s;
}

// bank: x in [n] 0.5:1 | y out [n] | m = 300 | n = 20
KERNEL void stored_loop_with_a_promise(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = x[i];
  [[kernix::store, kernix::max_iters(300)]] for (int k = 0; k < m; ++k)
    s = sin(s * x[i]) + T(0.3);
  y[i] = s;
}

// A rule that is asked of shared memory whose numbers have no derivative, and which is stored to again.
template <class T> __device__ void element_bwd(const T *p, T *gp, int i, T g) {
  if (gp)
    atomicAdd(gp + i, g);
}
template <class T> [[kernix::backward_derivative(element_bwd<T>)]] __device__ T element(const T *p, int i) {
  return p[i];
}

// bank: x in [32] -1:1 | w in [64] -1:1 nodiff | y out [32] | n = 32 | @block 32
ONCE_KERNEL void element_of_shared(const T *x, [[kernix::no_diff]] const T *w, T *y, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = w[t];
  __syncthreads();
  T a = 0;
  for (int j = 0; j < n; ++j)
    a += x[j] * x[t] * element(s, j);
  __syncthreads();
  s[t] = w[32 + t];
  __syncthreads();
  y[t] = a * s[31 - t];
}

// bank: x in [32] -1:1 | w in [64] -1:1 nodiff | y out [32] | m = 3 | n = 2 | @block 32
ONCE_KERNEL void element_stored_in_a_loop(const T *x, [[kernix::no_diff]] const T *w, T *y, int m, int n) {
  __shared__ T s[32];
  int t = threadIdx.x;
  T v = x[t];
  for (int k = 0; k < m; ++k) {
    for (int r = 0; r < n; ++r) {
      if (t % 2 == r)
        s[t] = w[(k * 32 + t) % 64];
      __syncthreads();
    }
    v = v * element(s, t);
    __syncthreads();
  }
  y[t] = v;
}
