// Classes: nested, copied, passed every way, with operators, templates, lambdas and virtual functions.
#include "bank.h"

template <class T> struct Vec3 {
  T x, y, z;
  __device__ Vec3 operator+(const Vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
  __device__ Vec3 operator-(const Vec3 &o) const { return {x - o.x, y - o.y, z - o.z}; }
  __device__ Vec3 operator*(T s) const { return {x * s, y * s, z * s}; }
  __device__ Vec3 &operator+=(const Vec3 &o) {
    x += o.x;
    y += o.y;
    z += o.z;
    return *this;
  }
  __device__ T dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
  __device__ Vec3 cross(const Vec3 &o) const { return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x}; }
};

template <class T> __device__ Vec3<T> operator*(T s, const Vec3<T> &v) { return v * s; }

// bank: x in [n, 3] -1:1 | w in [n, 3] -1:1 | y out [n] | n = 30
KERNEL void struct_operators(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Vec3<T> a{x[3 * i], x[3 * i + 1], x[3 * i + 2]}, b{w[3 * i], w[3 * i + 1], w[3 * i + 2]};
  Vec3<T> c = T(2) * a.cross(b) + a * a.dot(b);
  c += b - a;
  y[i] = c.dot(c);
}

template <class T> struct Ray {
  Vec3<T> origin, direction;
  __device__ Vec3<T> at(T t) const { return origin + direction * t; }
};
template <class T> struct Hit {
  bool found;
  T t;
  Ray<T> ray;
};

template <class T> __device__ Hit<T> hit_sphere(Ray<T> ray, T radius) {
  T a = ray.direction.dot(ray.direction), b = ray.origin.dot(ray.direction);
  T c = ray.origin.dot(ray.origin) - radius * radius;
  T d = b * b - a * c;
  if (d < T(0.01))
    return {false, 0, ray};
  return {true, (-b - sqrt(d)) / a, ray};
}

// bank: x in [n, 6] 0.2:0.6 | y out [n, 3] | n = 30
KERNEL void nested_structs(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const T *p = x + 6 * i;
  Ray<T> ray{{p[0], p[1], p[2] - 3}, {p[3] - T(0.4), p[4] - T(0.4), p[5] + 1}};
  Hit<T> hit = hit_sphere(ray, T(1.2));
  Vec3<T> at = hit.found ? hit.ray.at(hit.t) : ray.origin;
  y[3 * i] = at.x;
  y[3 * i + 1] = at.y;
  y[3 * i + 2] = at.z * hit.t;
}

template <class T> struct Pair {
  T first, second;
};

// bank: x in [n, 2] -1:1 | y out [n, 2] | n = 30
KERNEL void whole_struct_copy(const Pair<T> *x, Pair<T> *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Pair<T> p = x[i];
  y[i] = p;
}

// bank: x in [n, 2] -1:1 | y out [n, 2] | n = 30
KERNEL void tensor_of_structs(const Pair<T> *x, Pair<T> *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Pair<T> p = x[i];
  if (p.first < p.second)
    p = {p.second, p.first * 2};
  y[i].first = p.first * p.second;
  y[i].second = p.second;
}

template <class T> struct Block {
  T value[4];
  Pair<T> rest;
};

// bank: x in [n, 6] -1:1 | y out [n, 6] | n = 30
KERNEL void tensor_of_large_structs(const Block<T> *x, Block<T> *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Block<T> b = x[i], c = b;
  c.value[i % 4] = b.rest.first * b.rest.second;
  c.rest = {b.value[0], b.value[1] * b.value[2]};
  y[i] = c;
}

template <class T> __device__ T by_value(Pair<T> p) {
  p.first *= p.second;
  return p.first + p.second;
}
template <class T> __device__ void by_reference(Pair<T> &p, const T &s) {
  p.first += s * p.second;
  p.second = sin(p.first);
}
template <class T> __device__ void by_pointer(Pair<T> *p) {
  if (p)
    p->second *= p->first;
}

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void passed_every_way(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Pair<T> p{x[i], 1 + x[i] * x[i]};
  T r = by_value(p);
  by_reference(p, r);
  by_pointer(&p);
  y[i] = p.first * p.second + r;
}

template <class T> class Accumulator {
public:
  __device__ explicit Accumulator(T start) : sum_(start) {}
  __device__ Accumulator &add(T value) {
    sum_ += value * ++count_;
    return *this;
  }
  __device__ T mean() const { return sum_ / count_; }

private:
  T sum_;
  int count_ = 0;
};

// bank: x in [n, 5] -1:1 | y out [n] | n = 30
KERNEL void through_this(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Accumulator<T> total(x[5 * i] * 2);
  for (int k = 0; k < 5; ++k)
    if (x[5 * i + k] > T(-0.5))
      total.add(x[5 * i + k] * x[5 * i]).add(1);
  total.add(0);
  y[i] = total.mean();
}

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void lambda_by_value(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  auto f = [v, n](T t) { return t * v + v / n; };
  y[i] = f(v) * f(T(2));
}

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void lambda_by_reference(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s = 0, c = 1;
  auto step = [&](T t) {
    s += c * t;
    c *= T(0.5) + t;
  };
  for (int k = 0; k < 4; ++k)
    step(x[(i + k) % n]);
  y[i] = s * c;
}

template <class F, class T> __device__ T apply_times(F f, T v, int times) {
  for (int k = 0; k < times; ++k)
    v = f(v, k);
  return v;
}

template <class T> struct Affine {
  T scale, shift;
  __device__ T operator()(T v, int k) const { return v * scale + shift * k; }
};

// bank: x in [n] -1:1 | w in [2] -1:1 | y out [n] | n = 30
KERNEL void functor_with_state(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = apply_times(Affine<T>{w[0], w[1]}, x[i], 5);
}

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void lambda_to_template(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = apply_times([](T v, int k) { return sin(v) + T(0.1) * k; }, x[i], 3 + i % 3);
}

template <class T, int N> struct Polynomial {
  T c[N];
  __device__ T operator()(T v) const {
    if constexpr (N == 0)
      return 0;
    T r = c[N - 1];
#pragma unroll
    for (int k = N - 2; k >= 0; --k)
      r = r * v + c[k];
    return r;
  }
};

// bank: x in [n] -1:1 | w in [4] -1:1 | y out [n] | n = 30
KERNEL void template_with_size(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = Polynomial<T, 4>{{w[0], w[1], w[2], w[3]}}(x[i]) + Polynomial<T, 2>{{1, w[0]}}(x[i]);
}

template <class T> __device__ T sum_of(T v) { return v; }
template <class T, class... Rest> __device__ T sum_of(T v, Rest... rest) { return v * v + sum_of(rest...); }

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void variadic_template(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = sum_of(x[i], 2 * x[i], sin(x[i]), T(1));
}

template <class T> struct Shape {
  __device__ virtual T area(T scale) const = 0;
};
template <class T> struct Square final : Shape<T> {
  T side;
  __device__ explicit Square(T s) : side(s) {}
  __device__ T area(T scale) const override { return side * side * scale; }
};
template <class T> struct Disc final : Shape<T> {
  T radius;
  __device__ explicit Disc(T r) : radius(r) {}
  __device__ T area(T scale) const override { return T(3) * radius * radius + scale; }
};

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void virtual_devirtualised(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Square<T> square(x[i]);
  Disc<T> disc(1 + x[i]);
  const Shape<T> &shape = square;
  y[i] = shape.area(x[i]) * disc.area(2);
}

template <class D, class T> struct Model {
  __device__ T run(T v) const { return static_cast<const D *>(this)->step(v) * 2; }
};
template <class T> struct Cubic : Model<Cubic<T>, T> {
  T k = T(0.5);
  __device__ T step(T v) const { return k * v * v * v; }
};

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void static_polymorphism(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = Cubic<T>().run(x[i]) + x[i];
}

template <class T> struct Dual {
  T v, d;
};
template <class T> __device__ Dual<T> operator*(Dual<T> a, Dual<T> b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
template <class T> __device__ Dual<T> operator+(Dual<T> a, Dual<T> b) { return {a.v + b.v, a.d + b.d}; }
template <class T> __device__ Dual<T> sin(Dual<T> a) { return {::sin(a.v), ::cos(a.v) * a.d}; }

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void dual_numbers(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Dual<T> v{x[i], 1};
  Dual<T> r = sin(v * v) * v + v;
  y[i] = r.d + r.v;
}

template <class T> struct Settings {
  T gain;
  int repeat;
  T offset;
};

// bank: x in [n] -1:1 | y out [n] | s struct {"gain": 0.7, "repeat": 3, "offset": 0.2} | n = 30
KERNEL void struct_parameter(const T *x, T *y, Settings<T> s, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < s.repeat; ++k)
    v = v * s.gain + s.offset * v * v;
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | s realstruct {"first": 0.7, "second": -0.3} | n = 30
KERNEL void struct_parameter_gradient(const T *x, T *y, DIFF Pair<T> s, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = s.first * sin(x[i]) + s.second * s.first * x[i];
}

// bank: x in [n, 2] -1:1 | y out [n] | n = 20
KERNEL void array_of_structs(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Pair<T> p[3] = {{x[2 * i], x[2 * i + 1]}, {1, 2}, {x[2 * i + 1], 3}};
  p[1 + i % 2] = p[0];
  p[2].second *= p[1].first;
  Pair<T> *best = p;
  for (int k = 1; k < 3; ++k)
    if (p[k].first > best->first)
      best = p + k;
  best->second += 1;
  y[i] = p[0].first * p[1].second + p[2].second * best->second;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void member_pointer(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Pair<T> p{x[i], x[i] * x[i]};
  T Pair<T>::*which = i % 2 ? &Pair<T>::first : &Pair<T>::second;
  p.*which *= 3;
  y[i] = p.first * p.second;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void union_of_inactive(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  union {
    int whole;
    unsigned char part[4];
  } bits;
  bits.whole = i * 77;
  y[i] = x[i] * bits.part[0];
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void structured_binding(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto [a, b] = Pair<T>{x[i], cos(x[i])};
  auto &&[c, d] = Pair<T>{a * b, a};
  y[i] = c * d + b;
}

// A particle with a number of its own: LLVM cuts a copy of it into an integer and bytes.
template <class T> struct NumberedParticle {
  int id;
  T place, speed;
};

// bank: x in [n] -1:1 | y out [n] | n = 40 | m = 6
KERNEL void particles_copied(const T *x, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  NumberedParticle<T> all[4] = {};
  for (int k = 0; k < 4; ++k) {
    all[k].place = x[i] * k;
    all[k].speed = x[i] + k;
  }
  for (int k = 0; k < m; ++k) {
    NumberedParticle<T> one = all[k & 3];
    one.id += 1;
    one.place += T(0.1) * sin(one.speed) * one.id;
    all[(k * 3) & 3] = one;
  }
  y[i] = all[1].place * all[2].speed + all[3].place * all[0].id;
}
