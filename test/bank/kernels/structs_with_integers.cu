// Numbers beside integers in structs: values with their places, hits of rays, particles, passed and kept every way.
#include "bank.h"

template <class T> struct Placed {
  T v;
  int i;
};
template <class T> struct Led {
  int i;
  T v;
};
template <class T> struct Triple {
  T x, y, z;
};
template <class T> struct Hit {
  T t;
  Triple<T> n;
  int id;
};
template <class T> struct Particle {
  Triple<T> p, v;
  int id;
  unsigned char kind;
  T mass;
};

// bank: x in [n] -1:1 | y out [n] | n = 20
__device__ Placed<double> make(double v, int i) { return {v * v, i}; }
__device__ Placed<float> make(float v, int i) { return {v * v, i}; }
KERNEL void returned_pair(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Placed<T> a = make(x[i], i), b = make(x[(i + 1) % n], 2 * i);
  Placed<T> m = a.v > b.v ? a : b;
  y[i] = m.v * m.i;
}

// bank: x in [n, 6] -1:1 | y out [n] | n = 20
KERNEL void argmax_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Placed<T> best{x[6 * i], 0};
  for (int k = 1; k < 6; ++k) {
    Placed<T> c{x[6 * i + k] * x[6 * i + k], k};
    if (c.v > best.v)
      best = c;
  }
  y[i] = best.v * (best.i + 1) * x[6 * i + best.i];
}

template <class T> __device__ Placed<T> larger(Placed<T> a, Placed<T> b) { return a.v > b.v ? a : b; }

// bank: x in [64] -1:1 | y out [2] | @block 32 | @grid 2
KERNEL void argmax_shuffle(const T *x, T *y) {
  Placed<T> best{x[thread_index()] * x[thread_index()], static_cast<int>(threadIdx.x)};
  for (int o = 16; o; o /= 2) {
    Placed<T> other{__shfl_xor_sync(~0u, best.v, o), __shfl_xor_sync(~0u, best.i, o)};
    best = larger(best, other);
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = best.v * (best.i + 1);
}

// bank: x in [64] -1:1 | y out [2] | @block 32 | @grid 2
KERNEL void argmax_shared(const T *x, T *y) {
  __shared__ Placed<T> best[32];
  int t = threadIdx.x;
  best[t] = Placed<T>{x[thread_index()] * x[thread_index()], t};
  __syncthreads();
  for (int o = 16; o; o /= 2) {
    if (t < o)
      best[t] = larger(best[t], best[t + o]);
    __syncthreads();
  }
  if (t == 0)
    y[blockIdx.x] = best[0].v * (best[0].i + 1);
}

// bank: x in [64] -1:1 | y out [2] | @block 32 | @grid 2
KERNEL void argmax_shared_members(const T *x, T *y) {
  __shared__ Placed<T> best[32];
  int t = threadIdx.x;
  best[t].v = x[thread_index()] * x[thread_index()];
  best[t].i = t;
  __syncthreads();
  for (int o = 16; o; o /= 2) {
    if (t < o && best[t + o].v > best[t].v)
      best[t] = best[t + o];
    __syncthreads();
  }
  if (t == 0)
    y[blockIdx.x] = best[0].v * (best[0].i + 1);
}

// bank: x in [64] -1:1 | y out [2] | @block 32 | @grid 2
KERNEL void argmax_shared_iv(const T *x, T *y) {
  __shared__ Led<T> best[32];
  int t = threadIdx.x;
  best[t] = {t, x[thread_index()] * x[thread_index()]};
  __syncthreads();
  for (int o = 16; o; o /= 2) {
    if (t < o) {
      Led<T> a = best[t], b = best[t + o];
      if (b.v > a.v)
        best[t] = b;
    }
    __syncthreads();
  }
  if (t == 0)
    y[blockIdx.x] = best[0].v * (best[0].i + 1);
}

// bank: x in [n, 6] -1:1 | y out [n, 3] | n = 20
template <class T> __device__ Hit<T> sphere(Triple<T> o, Triple<T> d, T r, int id) {
  T b = o.x * d.x + o.y * d.y + o.z * d.z, c = o.x * o.x + o.y * o.y + o.z * o.z - r * r;
  T disc = b * b - c + 4;
  if (disc < 0)
    return {T(1e3), {0, 0, 1}, -1};
  T t = -b + sqrt(disc);
  return {t, {o.x + t * d.x, o.y + t * d.y, o.z + t * d.z}, id};
}
KERNEL void hits(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *p = x + 6 * i;
  Hit<T> best{T(1e3), {0, 0, 0}, -1};
  for (int k = 0; k < 3; ++k) {
    Hit<T> h = sphere(Triple<T>{p[0] + k, p[1], p[2]}, Triple<T>{p[3], p[4], p[5]}, T(0.3) * (k + 1), k);
    if (h.t < best.t)
      best = h;
  }
  y[3 * i] = best.n.x * (best.id + 2);
  y[3 * i + 1] = best.n.y * best.t;
  y[3 * i + 2] = best.n.z;
}

// bank: x in [n, 7] -1:1 | y out [n, 3] | n = 20
template <class T> __device__ void step(Particle<T> &p, T dt) {
  p.p.x += dt * p.v.x;
  p.p.y += dt * p.v.y;
  p.p.z += dt * p.v.z;
  p.v.x -= p.p.x * p.mass;
  p.v.y -= p.p.y * p.mass;
  p.v.z -= p.p.z * (p.kind ? p.mass : T(1));
  p.id++;
}
template <class T> __device__ Particle<T> stepped(Particle<T> p, T dt) {
  step(p, dt);
  return p;
}
KERNEL void particle(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *q = x + 7 * i;
  Particle<T> p{{q[0], q[1], q[2]}, {q[3], q[4], q[5]}, i, static_cast<unsigned char>(i & 1), q[6]};
  for (int k = 0; k < 5; ++k) {
    step(p, T(0.1));
    p = stepped(p, T(0.2));
  }
  y[3 * i] = p.p.x * p.id;
  y[3 * i + 1] = p.p.y;
  y[3 * i + 2] = p.v.z;
}

// bank: x in [n, 7] -1:1 | y out [n] | n = 20
KERNEL void particles_sorted(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Placed<T> a[7];
  for (int k = 0; k < 7; ++k)
    a[k] = {x[7 * i + k], k};
  for (int k = 1; k < 7; ++k)
    for (int j = k; j > 0 && a[j].v < a[j - 1].v; --j) {
      Placed<T> t = a[j];
      a[j] = a[j - 1];
      a[j - 1] = t;
    }
  T s = 0;
  for (int k = 0; k < 7; ++k)
    s += a[k].v * a[k].v * (k + 1) * (a[k].i + 1);
  y[i] = s;
}

// bank: x in [n, 7] -1:1 | k in i32 [n] 0:7 | y out [n] | n = 20
KERNEL void array_by_index(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Placed<T> a[7];
  for (int j = 0; j < 7; ++j)
    a[j] = {x[7 * i + j] * x[7 * i], j};
  Placed<T> c = a[k[i]];
  a[(k[i] + 3) % 7] = c;
  c = a[(c.i + 3) % 7];
  y[i] = c.v * c.i + a[k[i]].v;
}

// bank: x in [64, 4] -1:1 | y out [64] | @block 32 | @grid 2
KERNEL void shared_hits(const T *x, T *y) {
  __shared__ Hit<T> h[32];
  int t = threadIdx.x, i = thread_index();
  h[t] = {x[4 * i], {x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]}, (t * 7 + 1) % 32};
  __syncthreads();
  Hit<T> o = h[h[t].id];
  y[i] = o.t * o.n.x + o.n.y * o.n.z * o.id;
}

// bank: x in [64, 4] -1:1 | y out [64] | @block 32 | @grid 2
KERNEL void shared_hits_by_member(const T *x, T *y) {
  __shared__ Hit<T> h[32];
  int t = threadIdx.x, i = thread_index();
  h[t].t = x[4 * i];
  h[t].n = {x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]};
  h[t].id = (t * 7 + 1) % 32;
  __syncthreads();
  const Hit<T> &o = h[h[t].id];
  y[i] = o.t * o.n.x + o.n.y * o.n.z * o.id;
}

// bank: x in [64] -1:1 | y out [64] | @block 32 | @grid 2
KERNEL void shared_swap(const T *x, T *y) {
  __shared__ Placed<T> a[64];
  int t = threadIdx.x, i = thread_index();
  a[t] = {x[i], t};
  a[t + 32] = {x[i] * x[i], -t};
  __syncthreads();
  Placed<T> p = a[t ^ 1], q = a[32 + (t ^ 3)];
  __syncthreads();
  a[t] = q;
  a[t + 32] = p;
  __syncthreads();
  y[i] = a[t].v * a[31 - t].i + a[63 - t].v * a[33].v;
}

// bank: x in [64] -1:1 | y out [64] | @block 32 | @grid 2
KERNEL void warp_sort_pair(const T *x, T *y) {
  int t = threadIdx.x, i = thread_index();
  Placed<T> a{x[i], t};
  for (int k = 2; k <= 32; k *= 2)
    for (int j = k / 2; j; j /= 2) {
      Placed<T> b{__shfl_xor_sync(~0u, a.v, j), __shfl_xor_sync(~0u, a.i, j)};
      bool up = ((t & k) == 0) == ((t & j) == 0);
      if ((a.v > b.v) == up)
        a = b;
    }
  y[i] = a.v * a.v * (t + 1) + a.v * a.i;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
template <class T> __device__ Placed<T> pass(Placed<T> a) { return a; }
template <class T> __device__ Placed<T> bump(Placed<T> a) {
  a.i += 1;
  return a;
}
template <class T> __device__ Placed<T> twice(Placed<T> a) {
  a.v *= 2 * a.i;
  return a;
}
KERNEL void passes(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Placed<T> a = twice(bump(pass(Placed<T>{x[i] * x[i], i})));
  y[i] = a.v * a.i;
}

template <class T> struct Counted {
  T a;
  int n;
};
template <class T> struct Sample {
  T t;
  T n[3];
  int id;
};
#define INNER template <class T> [[kernix::differentiable]] __device__
// bank: x in [n, 2] -1:1 | y out [n] | n = 20
INNER void ref1(Counted<T> &r, T x) { r.a *= x * r.n; }
KERNEL void by_ref1(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Counted<T> r{x[2 * i], 3}, g{1, 0};
  T gx = 0;
  kernix::bwd_diff<ref1<T>>(r, &g, x[2 * i + 1], &gx);
  y[i] = gx + g.a * r.a;
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
INNER Counted<T> val1(Counted<T> r) { return r; }
KERNEL void by_val1(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Counted<T> r{x[2 * i], 3}, g{0, 0};
  kernix::bwd_diff<val1<T>>(r, &g, Counted<T>{x[2 * i + 1], 0});
  y[i] = g.a * r.a;
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
INNER Counted<T> val2(Counted<T> r, T x) {
  r.a *= x * x * r.n;
  r.n += 1;
  return r;
}
KERNEL void by_val2(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Counted<T> r{x[2 * i], 3}, g{0, 0};
  T gx = 0;
  kernix::bwd_diff<val2<T>>(r, &g, x[2 * i + 1], &gx, Counted<T>{x[2 * i + 1], 0});
  y[i] = g.a * r.a + gx;
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
INNER Counted<T> val3(Counted<T> r, Counted<T> q) { return r.a > q.a ? r : q; }
KERNEL void by_val3(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Counted<T> r{x[2 * i], 3}, g{0, 0}, h{0, 0};
  kernix::bwd_diff<val3<T>>(r, &g, Counted<T>{x[2 * i] * x[2 * i + 1], 4}, &h, Counted<T>{x[2 * i + 1], 0});
  y[i] = g.a * r.a + h.a * x[2 * i];
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
INNER Sample<T> val4(Sample<T> r, T x) {
  r.n[1] *= x * r.t * r.id;
  return r;
}
KERNEL void by_val4(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Sample<T> r{x[2 * i], {1, x[2 * i + 1], 2}, 3}, g{};
  T gx = 0;
  kernix::bwd_diff<val4<T>>(r, &g, x[2 * i + 1], &gx, Sample<T>{x[2 * i + 1], {1, 2, x[2 * i]}, 0});
  y[i] = g.t * r.t + gx + g.n[1] * x[2 * i] + g.n[2];
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
INNER T val5(const Sample<T> &r, T x) { return r.n[r.id % 3] * x * r.t * r.id; }
KERNEL void by_val5(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Sample<T> r{x[2 * i], {1, x[2 * i + 1], 2}, 4}, g{};
  T gx = 0;
  kernix::bwd_diff<val5<T>>(r, &g, x[2 * i + 1], &gx, x[2 * i]);
  y[i] = g.t * r.t + gx + g.n[1] * x[2 * i] + g.n[2];
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
INNER void ref6(Sample<T> &r, T x) {
  for (int k = 0; k < 3; ++k)
    r.n[k] *= x * r.t * r.id;
  r.t *= r.n[0];
}
KERNEL void by_ref6(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Sample<T> r{x[2 * i], {1, x[2 * i + 1], 2}, 4}, g{1, {2, 1, 1}, 0};
  T gx = 0;
  kernix::bwd_diff<ref6<T>>(r, &g, x[2 * i + 1], &gx);
  y[i] = g.t * r.t + gx + g.n[1] * x[2 * i] + g.n[2];
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
INNER Counted<T> fwd1(Counted<T> r, T x) {
  r.a *= x * x * r.n;
  return r;
}
KERNEL void by_fwd(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto d = kernix::fwd_diff<fwd1<T>>(Counted<T>{x[2 * i], 3}, Counted<T>{1, 0}, x[2 * i + 1], x[2 * i]);
  y[i] = d.value.a * d.tangent.a * d.value.n;
}

// The type of these unions is that of the first member, which has padding where the second has an integer.
union Shape {
  struct {
    char kind;
    float r;
  } circle;
  struct {
    short w, h;
    float r;
  } box;
};
__device__ Shape larger(Shape a, Shape b) { return a.box.r > b.box.r ? a : b; }
// bank: x in [64] .1:1 | k in i32 [64] 0:4 | y out [64] | @block 32 | @grid 2 | @types f32
PLAIN_KERNEL void union_passed(const float *x, const int *k, float *y) {
  int i = thread_index();
  Shape u[4];
  for (int j = 0; j < 4; ++j) {
    Shape q;
    q.box = {static_cast<short>(3 + j), static_cast<short>(2 + j), x[i] * j};
    u[j] = larger(q, q);
  }
  Shape t = larger(u[k[i]], u[(k[i] + 1) & 3]);
  y[i] = t.box.r * t.box.w * t.box.h;
}

template <class T> union Solid {
  struct {
    char kind;
    T r, s;
  } ball;
  struct {
    short w, h;
    T r, s;
  } box;
};
// bank: x in [64] .1:1 | k in i32 [64] 0:4 | y out [64] | @block 32 | @grid 2
KERNEL void union_copied(const T *x, const int *k, T *y) {
  int i = thread_index();
  Solid<T> u[4], v[4];
  for (int j = 0; j < 4; ++j) {
    u[j].box.w = 3 + j;
    u[j].box.h = 2 + j;
    u[j].box.r = x[i] * j;
    u[j].box.s = x[i];
  }
  v[k[i]] = u[(k[i] + 1) & 3];
  for (int j = 0; j < 4; ++j)
    if (j != k[i])
      v[j] = u[j];
  Solid<T> &t = v[k[i]];
  y[i] = t.box.r * t.box.w * t.box.h * t.box.s;
}
