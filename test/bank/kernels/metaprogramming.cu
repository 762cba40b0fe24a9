// What C++ libraries are made of: templates, operators, tables of functions, and recursion that ends at compile time.
#include "bank.h"
#include <new>
#include <utility>

template <class D, class T> struct Activation {
  __device__ T operator()(T x) const { return static_cast<const D *>(this)->eval(x); }
};
template <class T> struct Gelu : Activation<Gelu<T>, T> {
  __device__ T eval(T x) const { return T(0.5) * x * (1 + erf(x * T(0.70710678118654752))); }
};
template <class T> struct Swish : Activation<Swish<T>, T> {
  T beta;
  __device__ explicit Swish(T b) : beta(b) {}
  __device__ T eval(T x) const { return x / (1 + exp(-beta * x)); }
};
template <class D, class T> __device__ T twice(const Activation<D, T> &a, T x) { return a(a(x)); }

// bank: x in [n] -2:2 | b in [n] 0.5:1.5 | y out [n] | n = 20
KERNEL void crtp_activation(const T *x, const T *b, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = twice(Gelu<T>(), x[i]) + twice(Swish<T>(b[i]), x[i]);
}

// expression templates
template <class E> struct Expr {
  __device__ const E &self() const { return static_cast<const E &>(*this); }
};
template <class T> struct Leaf : Expr<Leaf<T>> {
  const T *p;
  __device__ explicit Leaf(const T *q) : p(q) {}
  __device__ T at(int i) const { return p[i]; }
};
template <class A, class B, class Op> struct Bin : Expr<Bin<A, B, Op>> {
  A a;
  B b;
  __device__ Bin(const A &x, const B &y) : a(x), b(y) {}
  __device__ auto at(int i) const { return Op::f(a.at(i), b.at(i)); }
};
struct AddOp {
  template <class T> static __device__ T f(T a, T b) { return a + b; }
};
struct MulOp {
  template <class T> static __device__ T f(T a, T b) { return a * b; }
};
template <class A, class B> __device__ Bin<A, B, AddOp> operator+(const Expr<A> &a, const Expr<B> &b) {
  return {a.self(), b.self()};
}
template <class A, class B> __device__ Bin<A, B, MulOp> operator*(const Expr<A> &a, const Expr<B> &b) {
  return {a.self(), b.self()};
}

// bank: x in [n] -2:2 | z in [n] 0.5:1.5 | y out [n] | n = 20
KERNEL void expression_templates(const T *x, const T *z, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Leaf<T> X(x), Z(z);
  y[i] = (X * Z + Z * (X + X * X)).at(i);
}

// variadic fold
template <class... F> struct Chain {
  template <class T> static __device__ T run(T x) {
    ((x = F::apply(x)), ...);
    return x;
  }
};
struct Sq {
  template <class T> static __device__ T apply(T x) { return x * x; }
};
struct Sn {
  template <class T> static __device__ T apply(T x) { return sin(x); }
};
struct Sp {
  template <class T> static __device__ T apply(T x) {
    if constexpr (std::is_same_v<T, float>)
      return log1pf(expf(x));
    else
      return log1p(exp(x));
  }
};

// bank: x in [n] -2:2 | y out [n] | n = 20
KERNEL void variadic_fold_chain(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = Chain<Sq, Sn, Sp, Sq>::run(x[i]);
}

// optional-like and pair returns with structured bindings
template <class T> struct Hit {
  bool ok;
  T t;
  int id;
};
template <class T> __device__ Hit<T> solve_quadratic(T a, T b, T c) {
  T disc = b * b - 4 * a * c;
  if (disc < 0)
    return {false, 0, -1};
  T q = T(-0.5) * (b + copysign(sqrt(disc), b)), t0 = q / a, t1 = c / q;
  if (t0 > t1) {
    T t = t0;
    t0 = t1;
    t1 = t;
  }
  if (t0 > 0)
    return {true, t0, 0};
  if (t1 > 0)
    return {true, t1, 1};
  return {false, t1, -1};
}

// bank: k in [n, 3] -1:1 | y out [n] | n = 30
KERNEL void optional_result_binding(const T *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto [ok, t, id] = solve_quadratic(k[3 * i] + T(1.5), k[3 * i + 1] * 3, k[3 * i + 2]);
  y[i] = ok ? (id ? t * t : sin(t)) : k[3 * i];
}

// small vector with push/pop stack machine
template <class T, int N> struct Stack {
  T v[N];
  int top = 0;
  __device__ void push(T x) { v[top++] = x; }
  __device__ T pop() { return v[--top]; }
};

// bank: x in [n, 2] 0.5:1.5 | prog in i32 [8] 0:5 | y out [n] | n = 9
KERNEL void postfix_programs(const T *x, const int *prog, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Stack<T, 16> st;
  st.push(x[2 * i]);
  st.push(x[2 * i + 1]);
  for (int pc = 0; pc < 8; ++pc)
    switch (prog[pc]) {
    case 0:
      st.push(x[2 * i + (pc & 1)]);
      break;
    case 1: {
      T a = st.pop();
      st.push(sin(a));
      break;
    }
    case 2:
      if (st.top >= 2) {
        T a = st.pop(), b = st.pop();
        st.push(a * b);
      }
      break;
    case 3:
      if (st.top >= 2) {
        T a = st.pop(), b = st.pop();
        st.push(b - a);
        st.push(a);
      }
      break;
    default:
      st.push(st.v[0] * T(0.5));
    }
  T s = 0;
  while (st.top > 0)
    s = s * T(0.7) + st.pop();
  y[i] = s;
}

// nested lambdas, generic, mutable, returned

// bank: x in [n] -1:1 | y out [n] | n = 14
KERNEL void lambdas_in_lambdas(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  auto compose = [](auto f, auto g) { return [=](auto z) { return f(g(z)); }; };
  auto scale = [k = v * v](T z) { return (k + z) * z; };
  auto h = compose(
      [&](T z) {
        v += T(0.1) * z;
        return z * v;
      },
      scale);
  T a = h(T(2)), b = h(a);
  y[i] = a + b * v;
}

template <class T> struct Dual {
  T v, d;
  __device__ Dual operator*(Dual o) const { return {v * o.v, v * o.d + d * o.v}; }
  __device__ Dual operator+(Dual o) const { return {v + o.v, d + o.d}; }
};
template <class T> __device__ Dual<T> sin(Dual<T> a) { return {::sin(a.v), ::cos(a.v) * a.d}; }

// bank: x in [n] -1:1 | y out [n, 2] | n = 8
KERNEL void user_dual_numbers(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Dual<T> a{x[i], 1}, r = a * a + sin(a * a);
  y[2 * i] = r.v;
  y[2 * i + 1] = r.d;
}

template <class T> struct Tape {
  T val[16], adj[16];
  int l[16], r[16], op[16], n = 0;
  __device__ int leaf(T v) {
    val[n] = v;
    op[n] = 0;
    return n++;
  }
  __device__ int bin(int o, int a, int b) {
    val[n] = o == 1 ? val[a] + val[b] : val[a] * val[b];
    op[n] = o;
    l[n] = a;
    r[n] = b;
    return n++;
  }
  __device__ void back(int root) {
    for (int k = 0; k < n; ++k)
      adj[k] = 0;
    adj[root] = 1;
    for (int k = root; k >= 0; --k) {
      if (op[k] == 1) {
        adj[l[k]] += adj[k];
        adj[r[k]] += adj[k];
      } else if (op[k] == 2) {
        adj[l[k]] += adj[k] * val[r[k]];
        adj[r[k]] += adj[k] * val[l[k]];
      }
    }
  }
};

// bank: x in [n, 2] -1:1 | y out [n, 2] | n = 8
ONCE_KERNEL void user_tape_autodiff(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Tape<T> t;
  int a = t.leaf(x[2 * i]), b = t.leaf(x[2 * i + 1]), c = t.bin(2, a, b), d = t.bin(1, c, a), e = t.bin(2, d, d);
  t.back(e);
  y[2 * i] = t.adj[a];
  y[2 * i + 1] = t.adj[b];
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void table_of_lambdas_in_a_loop(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  using F = T (*)(T);
  F f[3] = {[](T v) { return sin(v); }, [](T v) { return v * v; }, [](T v) -> T { return exp(v); }};
  T s = 0;
  for (int k = 0; k < 3; ++k)
    s += f[k](x[i]) * (k + 1);
  y[i] = s;
}

template <class T> __device__ T fractal(T x, int depth) {
  return depth == 0 ? x : T(0.5) * fractal(x * x - T(0.3), depth - 1) + T(0.25) * fractal(x + T(0.1), depth - 1);
}

// bank: x in [n] -1:1 | y out [n] | n = 14
KERNEL void recursion_of_constant_depth(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = fractal(x[i], 4);
}

template <class T> __device__ T nested_sines(T x, int depth) {
  return depth ? sin(nested_sines(x, depth - 1)) + T(0.125) * x : x;
}

// bank: x in [n] -1:1 | y out [n] | n = 14
KERNEL void recursion_of_great_constant_depth(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = nested_sines(x[i], 120);
}

template <class T> __device__ T odd_part(T x, int k);
template <class T> __device__ T even_part(T x, int k) {
  if (k <= 0)
    return x;
  T v = odd_part(x * x, k - 1);
  return v + x;
}
template <class T> __device__ T odd_part(T x, int k) {
  if (k <= 0)
    return 1 - x;
  return sin(even_part(x + 1, k - 1));
}

// bank: x in [n] -1:1 | y out [n] | n = 14
KERNEL void mutual_recursion_of_constant_depth(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = even_part(x[i], 4);
}

template <class T> __device__ T depth_sum(const T *p, int lo, int hi) {
  if (hi - lo == 1)
    return p[lo] * p[lo];
  int m = (lo + hi) / 2;
  return depth_sum(p, lo, m) * T(0.9) + depth_sum(p, m, hi);
}

// bank: x in [n, 8] -1:1 | y out [n] | n = 14
KERNEL void pairwise_sum_recursive(const T *x, T *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = depth_sum(x + 8 * i, 0, 8);
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void member_pointer_access(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  struct P {
    T a, b, c;
    __device__ T sum() const { return a + b * c; }
  } p{x[i], 2 * x[i], T(1)};
  T P::*m[3] = {&P::a, &P::b, &P::c};
  T (P::*f)() const = &P::sum;
  T s = 0;
  for (int k = 0; k < 3; ++k) {
    p.*m[k] *= T(1.5);
    s += p.*m[(k + 1) % 3] * (p.*f)();
  }
  y[i] = s;
}

// bank: x in [n] -1:1 | y out [n] | n = 20
KERNEL void placement_new_buffer(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  struct Acc {
    T a, b;
    __device__ Acc(T u) : a(u), b(u * u) {}
    __device__ T get() const { return a * b; }
  };
  alignas(Acc) unsigned char buf[2 * sizeof(Acc)];
  Acc *p = new (buf) Acc(x[i]);
  Acc *q = new (buf + sizeof(Acc)) Acc(p->b);
  y[i] = p->get() + q->get();
}

template <class T, class F> __device__ T simpson(F f, T a, T b, int m) {
  T h = (b - a) / m, s = f(a) + f(b);
  for (int k = 1; k < m; ++k)
    s += f(a + k * h) * (k & 1 ? 4 : 2);
  return s * h / 3;
}

// bank: x in [n] 0.1:1 | y out [n] | n = 8
KERNEL void nested_quadrature(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T a = x[i];
  y[i] =
      simpson<T>([&](T u) { return simpson<T>([&](T v) { return exp(-u * v * a) * cos(v); }, 0, u + a, 6); }, 0, 1, 4);
}

// bank: x in [n] -1:1 | a in [3] -1:1 | y out [n] | n = 20
KERNEL void comma_ternary_chains(const T *x, const T *a, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T u, v = (u = x[i], u *= u, u + a[0]), w = u > T(0.5) ? v : u > T(0.2) ? (v *= 2, v + u) : -v;
  (u < T(0.1) ? u : w) += a[1];
  T *p = &u;
  int k = 0;
  while (k++ < 3 && (*p *= T(1.1)) < T(0.9))
    p = k & 1 ? &w : &u;
  y[i] = u + v * w;
}
