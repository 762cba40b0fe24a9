// Structs, jumps and pointers inside a thread; derivatives asked for inside a kernel.
#include "bank.h"

template <class T> struct Particle {
  T p[3];
  T mass;
  int kind;
};

template <class T> __device__ void cube_bwd(T x, T *gx, T g) { *gx += 3 * x * x * g; }
template <class T> [[kernix::backward_derivative(cube_bwd<T>)]] __device__ T cube(T x) { return x * x * x; }
template <class T> [[kernix::differentiable]] __device__ T wave(T a, T b) { return sin(a * b) + a; }

// bank: x in [n, 3] -1:1 | k in i32 [n] 0:3 | y out [n] | n = 20
ONCE_KERNEL void array_of_mixed_particles(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Particle<T> ps[3];
  for (int j = 0; j < 3; ++j) {
    for (int d = 0; d < 3; ++d)
      ps[j].p[d] = x[((i + j) % n) * 3 + d];
    ps[j].mass = T(1) + ps[j].p[0] * ps[j].p[0];
    ps[j].kind = k[(i + j) % n];
  }
  T e = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = a + 1; b < 3; ++b) {
      if (ps[a].kind == ps[b].kind)
        continue;
      T r2 = T(0.1);
      for (int d = 0; d < 3; ++d)
        r2 += (ps[a].p[d] - ps[b].p[d]) * (ps[a].p[d] - ps[b].p[d]);
      e -= ps[a].mass * ps[b].mass * rsqrt(r2);
    }
  y[i] = e;
}

// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 20
KERNEL void asked_for_early(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  __builtin_prefetch(&y[i], 1);
  T kept[4] = {x[i], w[i], x[(i + 1) % n], T(1)}, sum = 0;
  __builtin_prefetch(kept);
  for (int k = 0; k < 4; ++k) {
    __builtin_prefetch(&w[(i + k + 1) % n]);
    sum += w[(i + k) % n] * kept[k];
  }
  y[i] = sum * sum;
}

// A goto out of a nest and back before it.
// bank: x in [n] 0.3:1 | y out [n] | n = 20
ONCE_KERNEL void goto_retry(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  int tries = 0;
again:
  for (int k = 0; k < 4; ++k) {
    v *= T(1) + x[i] * T(0.2);
    if (v > T(1.5)) {
      v = v - T(1);
      if (++tries < 3)
        goto again;
      goto done;
    }
  }
done:
  y[i] = v * (tries + 1);
}

// bank: x in [n] 0.3:1 | op in i32 [n] 0:7 | y out [n] | n = 40
ONCE_KERNEL void switch_with_default_in_the_middle(const T *x, const int *op, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  switch (op[i]) {
  case 0:
    v = sin(v);
  case 1:
    v *= v;
    break;
  default:
    v = exp(-v);
  case 3:
    v += x[i];
    break;
  case 4: {
    for (int k = 0; k < 3; ++k)
      switch (k) {
      case 1:
        v = v * x[i];
        continue;
      default:
        v += T(0.5);
      }
  }
  }
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
ONCE_KERNEL void linked_list_by_index(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T value[6];
  int next[6];
  for (int k = 0; k < 6; ++k) {
    value[k] = x[(i + k) % n];
    next[k] = -1;
  }
  int head = 0;
  for (int k = 1; k < 6; ++k) { // insertion into a sorted list
    int at = head, before = -1;
    while (at >= 0 && value[at] < value[k]) {
      before = at;
      at = next[at];
    }
    next[k] = at;
    if (before < 0)
      head = k;
    else
      next[before] = k;
  }
  T s = 0, w = 1;
  for (int at = head; at >= 0; at = next[at], w *= T(0.7))
    s += w * value[at];
  y[i] = s;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
ONCE_KERNEL void reference_rebinding_by_pointer(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[i], b = x[i] * x[i], c = 0;
  T *ps[3] = {&a, &b, &c};
  for (int k = 0; k < 6; ++k) {
    T *p = ps[k % 3], *q = ps[(k + 1) % 3];
    *p += *q * T(0.5);
    if (*p > *q) {
      T *t = ps[0];
      ps[0] = ps[1];
      ps[1] = t;
    }
  }
  y[i] = a + 2 * b + 3 * c;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
ONCE_KERNEL void early_out_of_three_loops(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      int c = 0;
      while (true) {
        s += x[(i + a + b + c) % n] * x[i];
        if (s > T(2)) {
          y[i] = s * a;
          return;
        }
        if (++c > b)
          break;
      }
      if (s < T(-2))
        goto out;
    }
out:
  y[i] = s * s;
}

// Overlapping memmove in local memory, moving window.
// bank: x in [n] -1:1 | y out [n] | n = 20
ONCE_KERNEL void shifting_window(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T w[5] = {0, 0, 0, 0, 0};
  T s = 0;
  for (int k = 0; k < 9; ++k) {
    for (int j = 0; j < 4; ++j)
      w[j] = w[j + 1];
    w[4] = x[(i + k) % n] * T(k + 1);
    s += w[0] * w[4] + w[2];
  }
  y[i] = s;
}

// bank: x in [n] -1:1 | y out [n] | n = 20 | m = 70
ONCE_KERNEL void carried_through_checkpoints_with_integer_state(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  unsigned rng = 12345u + i;
  for (int k = 0; k < m * (1 + i % 7); ++k) {
    rng = rng * 1664525u + 1013904223u;
    T noise = T(rng >> 8) / T(1 << 24);
    v = noise > T(0.5) ? sin(v + noise) : v * T(0.9) + x[i] * T(0.1);
  }
  y[i] = v;
}

// Gradients as values in a kernel that is differentiated itself... by functions without one.
// bank: x in [n] -1:1 | w in [3] -1:1 | y out [n] | n = 40
ONCE_KERNEL void rules_in_loops(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < 3; ++k)
    if (v > w[k])
      v = cube(v - w[k]) + w[k];
    else
      v += cube(w[k]) * v;
  y[i] = v;
}

// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 40
ONCE_KERNEL void gradient_descent_inside(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[i];
  for (int k = 0; k < 3; ++k) {
    T ga = 0, gb = 0;
    kernix::bwd_diff<wave<T>>(a, &ga, w[i], &gb, T(1));
    a -= T(0.1) * ga + T(0.05) * gb;
  }
  y[i] = a;
}

// What one way does not compute is not computed early either: the quotient of its adjoint would be 0 / 0.
template <class T> [[kernix::differentiable]] __device__ T guarded_quotient(T v, T c, T t) {
  T r = 0, z;
  if (t < 3) {
    if (v <= 0)
      return c * c;
    r = sin(c * v);
  }
  T q = c / v;
  if (t < 3)
    z = exp(q * r);
  else
    z = q;
  return z * z * z;
}

// bank: x in i32 [n] 0:3 | w in [n] 0.5:1 | y out [n] | n = 40
ONCE_KERNEL void gradient_behind_a_return(const int *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T ga = 0, gb = 0, gt = 0;
  kernix::bwd_diff<guarded_quotient<T>>(T(x[i]) * w[i], &ga, w[i], &gb, w[0], &gt, T(1));
  y[i] = ga + gb * gb;
}

// bank: x in [n] -1:1 | w in [n] -1:1 | y out [n] | n = 40
ONCE_KERNEL void tangent_inside(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto d = kernix::fwd_diff<wave<T>>(x[i], T(1), w[i], x[i]);
  y[i] = d.value * d.tangent;
}

// bank: x in [n] 0.4:1 | y out [n] | n = 40 | m = 5
ONCE_KERNEL void stored_and_recomputed_nest(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  [[kernix::store, kernix::max_iters(8)]] for (int a = 0; a < m; ++a) {
    T u = v;
    [[kernix::recompute]] for (int b = 0; b < 100; ++b)
      u = u * T(0.98) + T(0.02) * sin(u * v);
    [[kernix::store]] T t = u * u;
    v = t > T(0.5) ? t * x[i] : t + x[i];
  }
  y[i] = v;
}

namespace clipped {
template <class U> __device__ U atomicAdd(U *p, U v) { return ::atomicAdd(p, v > U(0.5) ? 2 * v - U(0.5) : v); }
template <class U> __device__ U __ldg(const U *p) { return 3 * *p; }
} // namespace clipped
struct Sevenfold {
  static __device__ double atomicAdd(double *p, double v) {
    double old = *p;
    *p = old + 7 * v;
    return old;
  }
  static __device__ float atomicAdd(float *p, float v) {
    float old = *p;
    *p = old + 7 * v;
    return old;
  }
};

// Functions of the user's with names of CUDA's.
// bank: x in [n] -1:1 | at in i32 [n] 0:3 | y out [n] | sums inout [4] -1:1 | n = 40
KERNEL void names_of_others(const T *x, const int *at, T *y, T *sums, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T own = x[i];
  Sevenfold::atomicAdd(&own, x[i]);
  y[i] = own * clipped::__ldg(x + i);
  clipped::atomicAdd(sums + at[i], x[i] * x[i]);
}
