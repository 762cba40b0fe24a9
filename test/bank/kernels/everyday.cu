// What people write without thinking of derivatives: the standard library, tables, stacks, queues, state machines.
#include "bank.h"
#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void std_array(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  std::array<double, 4> a{p[0], p[1], p[2], p[3]};
  std::array<std::array<double, 2>, 2> m{{{w[0], w[1]}, {w[2], w[3]}}};
  for (auto &v : a)
    v = v * v + m[k[i] % 2][1];
  q[0] = a[k[i] % 4];
  q[1] = *std::max_element(a.begin(), a.end());
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void std_algorithms(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double a[4] = {p[0], p[1], p[2], p[3]};
  std::reverse(a, a + 4);
  std::swap_ranges(a, a + 2, a + 2);
  std::iter_swap(a, a + k[i] % 4);
  double s = std::accumulate(a, a + 3, w[0]);
  std::fill(a, a + 2, s);
  q[0] = std::inner_product(a, a + 4, p, 0.0);
  q[1] = std::clamp(s, -0.5, w[1]);
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void initializer_lists(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double s = 0;
  for (double v : {p[0], p[1], w[2]})
    s += v * v;
  q[0] = s;
  q[1] = std::max({p[0], p[1], p[2]});
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void pairs_and_tuples(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  auto f = [](double a, double b) { return std::make_tuple(a * b, a + b, 3); };
  auto [u, v, c] = f(p[0], p[1]);
  std::pair<double, int> best{u, 0};
  if (v > best.first)
    best = {v, 1};
  double t;
  int d;
  std::tie(t, std::ignore, d) = f(best.first, w[0]);
  q[0] = t * d;
  q[1] = best.first * c + best.second;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void state_machine(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  enum class S { Start, Up, Down, End } state = S::Start;
  double v = p[0], s = 0;
  int steps = 0;
  while (true) {
    switch (state) {
    case S::Start:
      v *= w[0];
      state = v > 0 ? S::Up : S::Down;
      break;
    case S::Up:
      s += sin(v);
      v -= 0.3;
      if (v < 0 || ++steps > 6)
        state = S::End;
      break;
    case S::Down:
      s -= v * v;
      v += 0.4;
      if (++steps > 3) {
        state = S::Up;
      }
      break;
    case S::End:
      q[0] = s;
      q[1] = v;
      return;
    }
  }
}

#define SWAP(T, a, b)                                                                                                  \
  do {                                                                                                                 \
    T t_ = a;                                                                                                          \
    a = b;                                                                                                             \
    b = t_;                                                                                                            \
  } while (0)

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void macros(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double a = p[0], b = p[1];
  if (k[i] % 2)
    SWAP(double, a, b);
  q[0] = a * a * w[1];
  q[1] = b;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void pointer_difference(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double a[4] = {p[0], p[1], p[2], p[3]};
  double *best = a;
  for (double *r = a; r < a + 4; ++r)
    if (*r > *best)
      best = r;
  int at = static_cast<int>(best - a);
  q[0] = *best * w[at];
  q[1] = at * p[0];
}

struct Item {
  float weight;
  unsigned char kind;
  bool on;
  double value;
  short n[3];
  double m[2];
};

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void mixed_items(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  Item items[3] = {{0.5f, 1, true, p[0], {1, 2, 3}, {p[1], 1}}, {1.5f, 0, false, p[2], {}, {}}, {}};
  for (int j = 0; j < 4; ++j) {
    Item &it = items[(j + k[i]) % 3];
    it.on = !it.on;
    it.m[it.n[j % 3] % 2] += it.on ? it.value * w[j] : 0.5;
    it.kind += 3;
    if (it.kind > 3)
      it.value *= it.weight;
  }
  Item c = items[k[i] % 3];
  q[0] = c.value + c.m[0] + c.kind;
  q[1] = items[0].m[1] * items[1].m[0] + items[2].value;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void matrix_pointer(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double m[2][3] = {{p[0], p[1], p[2]}, {w[0], w[1], w[2]}};
  double (*r)[3] = m + k[i] % 2;
  (*r)[k[i] % 3] *= 2;
  double *flat = &m[0][0];
  for (int j = 0; j < 6; ++j)
    flat[j] = sin(flat[j]) + flat[5 - j];
  q[0] = m[1][2] * m[0][1];
  q[1] = r[0][0];
}

template <int N> __device__ double fold(const double *a) {
  if constexpr (N == 0)
    return 1;
  else
    return a[0] * 0.5 + fold<N - 1>(a + 1) * a[0];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void recursive_template(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  q[0] = fold<4>(p);
  q[1] = fold<3>(w);
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void int_stack(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  int stack[8], top = 0;
  double s = 0;
  stack[top++] = k[i];
  while (top > 0) {
    int v = stack[--top];
    s += p[v % 4] * w[v % 8];
    if (v > 1 && top < 6) {
      stack[top++] = v / 2;
      stack[top++] = v / 3;
    }
  }
  q[0] = s;
  q[1] = s * p[0];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void large_work_array(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double t[64];
  for (int j = 0; j < 64; ++j)
    t[j] = p[j % 4] * w[j % 8] + j * 0.01;
  for (int s = 1; s < 64; s *= 2)
    for (int j = 0; j + s < 64; j += 2 * s)
      t[j] = sin(t[j]) + t[j + s] * 0.5;
  q[0] = t[0];
  q[1] = t[k[i] * 7];
}

__constant__ double coeff[4] = {0.5, -1, 2, 0.25};

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void constants(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  static const int perm[4] = {2, 0, 3, 1};
  double s = 0;
  for (int j = 0; j < 4; ++j)
    s += coeff[perm[(j + k[i]) % 4]] * p[perm[j]];
  q[0] = s;
  q[1] = s * w[perm[k[i] % 4]];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void unions_of_ints(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  union {
    int a;
    unsigned b;
  } u;
  u.a = -k[i];
  struct Bits {
    unsigned lo : 3, hi : 5;
  } bits{unsigned(k[i]) & 7u, u.b & 31u};
  q[0] = p[bits.lo % 4] * bits.hi;
  q[1] = w[bits.hi % 8];
}

struct Node {
  double v;
  int left, right;
};

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void tree_in_array(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  Node t[7];
  for (int j = 0; j < 7; ++j)
    t[j] = {p[j % 4] * w[j], 2 * j + 1 < 7 ? 2 * j + 1 : -1, 2 * j + 2 < 7 ? 2 * j + 2 : -1};
  double s = 0;
  int at = 0;
  while (at >= 0) {
    s = s * 0.5 + t[at].v * t[at].v;
    at = (k[i] >> at) & 1 ? t[at].left : t[at].right;
  }
  q[0] = s;
  for (int j = 6; j > 0; --j)
    t[(j - 1) / 2].v += sin(t[j].v);
  q[1] = t[0].v;
}

struct Poly {
  double c[4];
  int degree;
  __device__ double operator()(double t) const {
    double r = 0;
    for (int j = degree; j >= 0; --j)
      r = r * t + c[j];
    return r;
  }
  __device__ Poly derivative() const {
    Poly d{};
    d.degree = degree - 1;
    for (int j = 1; j <= degree; ++j)
      d.c[j - 1] = c[j] * j;
    return d;
  }
};

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void polynomials(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  Poly f{{p[0], p[1], p[2], 1}, 1 + k[i] % 3};
  Poly g = f.derivative();
  double t = w[0];
  for (int j = 0; j < 3; ++j)
    t -= f(t) / (2 + g(t) * g(t));
  q[0] = t;
  q[1] = g(t);
}

template <class T, int N> struct Stack {
  T items[N];
  int size = 0;
  __device__ void push(const T &v) { items[size++] = v; }
  __device__ T pop() { return items[--size]; }
  __device__ bool empty() const { return size == 0; }
};
struct Task {
  double lo, hi;
  int depth;
};

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void task_stack(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  Stack<Task, 16> s;
  s.push({0, 1 + p[0] * 0.2, 0});
  double sum = 0;
  auto f = [&](double t) { return p[1] * t * t + w[0] * t; };
  while (!s.empty()) {
    Task t = s.pop();
    double m = (t.lo + t.hi) / 2;
    if (t.depth < 2 + k[i] % 2) {
      s.push({t.lo, m, t.depth + 1});
      s.push({m, t.hi, t.depth + 1});
    } else
      sum += (t.hi - t.lo) * f(m) * f(m);
  }
  q[0] = sum;
  q[1] = sum * p[2];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void priority_queue(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double key[6];
  int id[6];
  int size = 0;
  for (int j = 0; j < 6; ++j) {
    double v = p[j % 4] * w[j];
    int at = size++;
    while (at > 0 && key[(at - 1) / 2] > v) {
      key[at] = key[(at - 1) / 2];
      id[at] = id[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    key[at] = v;
    id[at] = j;
  }
  q[0] = key[0] * (id[0] + 1);
  q[1] = key[k[i] % 6] * key[5];
}

__device__ double bump(double *v, double by) {
  *v += by;
  return *v * *v;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void call_order(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double a = p[0], b = w[0];
  double r = bump(&a, b);
  r += bump(&b, a) * bump(k[i] % 2 ? &a : &b, r);
  q[0] = r;
  q[1] = a * b;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void comma_chains(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double a, b, c;
  a = b = c = p[0];
  a += b *= c -= w[1];
  for (int j = 0, m = k[i]; j < m; j += 2, --m)
    a = sin(a) * b, b += c;
  q[0] = a;
  q[1] = (b++, b--, b);
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void two_returns_in_lambda(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  auto f = [](const double *v, int m) -> double {
    for (int j = 0; j < m; ++j)
      if (v[j] > 0.3)
        return v[j] * j;
    return -1;
  };
  q[0] = f(p, 4) * w[0];
  q[1] = f(w, k[i] % 8) * p[1];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void out_parameters(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  auto polar = [](double a, double b, double *r, double &t) {
    *r = sqrt(a * a + b * b + 0.1);
    t = atan2(b, a + 2);
  };
  double r, t;
  polar(p[0], p[1], &r, t);
  polar(r, t, &t, r);
  q[0] = r;
  q[1] = t * w[0];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void long_index(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  unsigned long long h = k[i] * 2654435761ull;
  size_t at = h % 4;
  unsigned char c = static_cast<unsigned char>(h >> 3);
  short s = static_cast<short>(c) - 128;
  q[0] = p[at] * w[c % 8];
  q[1] = p[(s & 3)] * s;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void ternary_lvalues(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double a = p[0], b = p[1], c = w[0];
  (k[i] % 2 ? a : k[i] % 3 ? b : c) += 2.0;
  ++(a > b ? a : b);
  double *m = &(k[i] > 4 ? a : c);
  *m *= *m;
  q[0] = a * b;
  q[1] = c;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void shifted_index_beside_int(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  struct {
    int n[4];
    double c[4];
    int m;
    double d[2];
  } s{{1, 2, 3, 0}, {p[0], p[1], w[0], 1}, 3, {p[2], w[1]}};
  for (int j = 2; j < 2 + k[i] % 3 + 1; ++j) {
    s.c[j - 1] *= s.c[j - 2] + s.d[(j + s.n[j - 1]) % 2];
    s.n[j - 2] += j;
    s.d[j % 2] += s.m * 0.1;
    s.m--;
  }
  q[0] = s.c[s.n[0] % 4] * s.d[0];
  q[1] = s.c[1] + s.d[s.n[1] & 1] * s.m;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void alternating_swap(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double a = p[0], b = p[1], c = w[0];
  double *u = &a, *v = &b, *t = &c;
  for (int j = 0; j < k[i]; ++j) {
    *u = sin(*v) * 0.5 + *t;
    double *s = u;
    u = v;
    v = t;
    t = s;
    if (*u > 0.2)
      std::swap(u, t);
  }
  q[0] = *u * a;
  q[1] = *v + b * c;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void phi_of_fields(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  struct V {
    double a[3];
    double b;
  } s{{p[0], p[1], p[2]}, w[0]}, r{{1, w[1], 2}, p[3]};
  double *m = k[i] % 3 == 0 ? &s.b : k[i] % 3 == 1 ? &r.a[k[i] % 3] : &s.a[(k[i] + 1) % 3];
  for (int j = 0; j < 3; ++j) {
    *m += s.a[j] * r.b;
    if (j == 1 && k[i] > 4)
      m = &r.b;
    *m *= 0.9;
  }
  q[0] = s.b + r.a[1] * s.a[0];
  q[1] = *m * r.b;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void memcpy_rows(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double m[3][4], r[4];
  memcpy(m[0], p, sizeof r);
  memcpy(m[1], w, sizeof r);
  memset(m[2], 0, sizeof r);
  for (int j = 0; j < 4; ++j) {
    memcpy(r, m[(j + k[i]) % 3], sizeof r);
    for (int c = 0; c < 4; ++c)
      m[j % 3][c] = r[c] * 0.5 + sin(m[(j + 1) % 3][3 - c]);
  }
  std::swap(m[0], m[k[i] % 3]);
  q[0] = m[0][1] * m[1][2];
  q[1] = m[2][k[i] % 4];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void early_return_in_nested(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double s = p[0];
  for (int a = 0; a < 3; ++a) {
    double t = w[a];
    for (int b = 0; b < k[i]; ++b) {
      t = t * s + 0.1;
      if (t > 0.8) {
        q[0] = t * s;
        q[1] = a + b * t;
        return;
      }
      if (b == 4)
        break;
      s += t * 0.2;
    }
    if (s < -1) {
      q[0] = s;
      q[1] = t;
      return;
    }
  }
  q[0] = s * s;
  q[1] = s;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void bound_by_data(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double s = 0, stop = 1 + p[0];
  int steps = 0;
  for (double t = 0.1; t < stop && steps < 30; t *= 1.2 + 0.1 * s * s) {
    s += t * p[1];
    ++steps;
    if (s > 2)
      stop -= 0.05;
  }
  q[0] = s;
  q[1] = s * steps * w[0];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void two_tapes(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double a[5];
  int perm[5];
  for (int j = 0; j < 5; ++j) {
    a[j] = p[j % 4] + w[j];
    perm[j] = (j * 2 + k[i]) % 5;
  }
  for (int s = 0; s < 70 + k[i]; ++s) {
    int u = perm[s % 5], v = perm[(s + 2) % 5];
    a[u] = 0.9 * a[u] + 0.1 * sin(a[v] * a[(u + 1) % 5]);
    std::swap(perm[s % 5], perm[(s * s) % 5]);
  }
  q[0] = a[perm[0]];
  q[1] = a[1] * a[perm[2]];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void loop_in_lambda_by_pointer(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double acc[2] = {0, 1};
  auto add = [&acc, &p](int which, auto f) {
    for (int j = 0; j < 3; ++j)
      acc[which & 1] += f(p[j]) * acc[(which + j) & 1];
  };
  add(k[i], [](double v) { return v * v; });
  add(k[i] + 1, [&](double v) { return sin(v) * acc[0]; });
  q[0] = acc[0];
  q[1] = acc[1];
}

struct Mat {
  double m[3][3];
  __device__ double *operator[](int r) { return m[r]; }
  __device__ double &operator()(int r, int c) { return m[r][c]; }
};

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void rotations(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  Mat a{};
  for (int r = 0; r < 3; ++r)
    a[r][r] = 1;
  for (int s = 0; s < k[i]; ++s) {
    int r = s % 3, t = (s + 1) % 3;
    double c = cos(p[s % 4]), z = sin(p[s % 4]);
    for (int j = 0; j < 3; ++j) {
      double u = a(r, j), v = a(t, j);
      a(r, j) = c * u - z * v;
      a[t][j] = z * u + c * v;
    }
  }
  q[0] = a[0][1] * w[0] + a(2, 2);
  q[1] = a[k[i] % 3][2];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void select_of_structs(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  struct S {
    double v;
    int id;
  } a{p[0], 1}, b{p[1] * w[0], 2}, c = p[0] > p[1] ? a : b, d = k[i] & 1 ? c : S{p[2], 5};
  S *best = &a;
  for (S *s : {&b, &c, &d})
    if (s->v > best->v)
      best = s;
  best->v *= 2;
  best->id++;
  q[0] = a.v + b.v * c.v + d.v;
  q[1] = best->v * best->id;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void local_or_output(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double trash = 0;
  double *a = k[i] % 3 ? q : &trash;
  *a = p[0] * p[1];
  q[1] = trash * w[0];
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void input_rows_chosen(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  const double *r = p[0] > 0 ? p : w;
  const double *s = k[i] % 2 ? r + 1 : x + 4 * ((i + 1) % n);
  double t = 0;
  for (int j = 0; j < 3; ++j)
    t += r[j] * s[j];
  q[0] = t;
  q[1] = *std::max_element(r, r + 3) * t;
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void clamped_index(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  auto at = [&](int j) -> const double & { return x[4 * std::min(std::max(j, 0), n - 1)]; };
  q[0] = at(i - 1) * at(i + 1) + w[0];
  q[1] = at(i) - at(i + k[i]);
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void zero_if_null(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  const double *r = k[i] % 3 ? p : nullptr;
  auto get = [](const double *v, int j) { return v ? v[j] : 0.5; };
  q[0] = get(r, 0) * get(w, 1);
  q[1] = get(r, k[i] % 4);
}

// bank: x in [n, 4] -1:1 | w in [8] -1:1 | k in i32 [n] 0:9 | y out [n, 2] | n = 24 | @types f64
PLAIN_KERNEL void ring_of_three(const double *x, const double *w, const int *k, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const double *p = x + 4 * i;
  double *q = y + 2 * i;
  double a[3] = {p[0], 0, 0}, b[3] = {p[1], 1, 0}, c[3] = {p[2], 0, 1};
  double *r[3] = {a, b, c};
  for (int s = 0; s < 4 + k[i]; ++s) {
    double *h = r[0];
    r[0] = r[1];
    r[1] = r[2];
    r[2] = h;
    for (int j = 0; j < 3; ++j)
      r[2][j] = 0.5 * r[0][j] + 0.3 * sin(r[1][(j + s) % 3]) * w[j];
  }
  q[0] = r[0][0] + r[1][1];
  q[1] = a[2] * b[0];
}
