// Every kind of call and of loop is where the front half says that its code is: clang's code generation says so, too.
// RUN: %cpu-device -O1 -c %s -o /dev/null
// RUN: not %cpu-device -O1 -DUNMARKED -ferror-limit=0 -c %s -o /dev/null 2>&1 | FileCheck %s
// REQUIRES: cpu
// clang-format off
#include <kernix/kernix.h>

#ifdef UNMARKED
#define CONSTANT
#define MARK
#else
#define CONSTANT [[kernix::no_diff]]
#define MARK [[kernix::max_iters(8)]]
#endif
// Without the attributes: bits of a number are used, and values are stored in a loop without a bound.
#define STORED [[kernix::store]] float s = v * v;
__device__ inline float opaque(float x) { return __builtin_bit_cast(float, __builtin_bit_cast(int, x) * 3); }
template <class T> __device__ T deduced(T x) { return opaque(x); }
__device__ inline float with_default(float x, float y = opaque(3)) { return opaque(x + y); }
__device__ inline void *operator new(size_t, float *place) { return place; }
struct V {
  float a;
  __device__ V(int, int) : a(1) {}
  __device__ V(float a) : a(opaque(a)) {}
  __device__ V(const V &o) : a(opaque(o.a)) {}
  __device__ V &operator=(const V &o) { a = opaque(o.a); return *this; }
  __device__ operator float() const { return opaque(a); }
  __device__ V operator+(const V &o) const { return V(o.a + a); }
  __device__ V operator-() const { return V(a); }
  __device__ V &operator+=(float o) { a = opaque(o); return *this; }
  __device__ V &operator++() { a = opaque(a); return *this; }
  __device__ float operator()(float b) const { return opaque(a + b); }
  __device__ float operator[](int k) const { return opaque(a + k); }
  __device__ float get() const { return opaque(a); }
  __device__ static float of(float x) { return opaque(x); }
};
struct U {
  float a;
  __device__ U(float a) : a(a) {}
  __device__ virtual float v(float b) const { return opaque(a + b); }
};
struct Iterator {
  int k;
  __device__ float operator*() const { return k; }
  __device__ Iterator &operator++() { ++k; return *this; }
  __device__ bool operator!=(const Iterator &o) const { return k != o.k; }
};
struct Range {
  int n;
  __device__ Iterator begin() const { return {0}; }
  __device__ Iterator end() const { return {n}; }
};
struct Destroyed {
  float a;
  __device__ ~Destroyed() { a = 0; }
  __device__ explicit operator bool() const { return a < 100; }
};
#define OPAQUE(x) opaque(x)
#define NAME opaque
#define CALL(f, x) f(x)
#define ASSIGN(a, e) a = e
#define PASTED(a, b) a##b
#define FOR(k, n) for (int k = 0; k < n; ++k)
#define LOOP(n, ...) for (int k = 0; k < n; ++k) { __VA_ARGS__ }
#define DISPATCH(name, ...) [&] { constexpr int name = 2; (void)name; __VA_ARGS__ }()
#define CALLED(name) [[kernix::bind, kernix::differentiable(backward)]] __device__ float call_##name(float x)
#define VALUES float w = 0; float (*p)(float) = opaque; float (V::*m)() const = &V::get; V s(1, 1), t(1, 1); U u(x); \
  auto l = [&](float q) { return opaque(q); }; s.a = t.a = x;
#define LOOPS(name) [[kernix::bind, kernix::differentiable(backward)]] __global__ void loop_##name(const float *x, float *y, int n)

// CHECK-DAG: cannot differentiate 'call_plain'
CALLED(plain) {
  VALUES
  CONSTANT w = opaque(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_parenthesized'
CALLED(parenthesized) {
  VALUES
  CONSTANT w = (opaque)(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_dereferenced'
CALLED(dereferenced) {
  VALUES
  CONSTANT w = (*opaque)(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_over_lines'
CALLED(over_lines) {
  VALUES
  CONSTANT w =
      opaque
      (
          x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_nested'
CALLED(nested) {
  VALUES
  CONSTANT w = opaque(opaque(x));
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_compound'
CALLED(compound) {
  VALUES
  CONSTANT w += 2 * opaque(x) + x;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_deduced'
CALLED(deduced) {
  VALUES
  CONSTANT w = deduced(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_instance'
CALLED(instance) {
  VALUES
  CONSTANT w = deduced<float>(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_of_member'
CALLED(of_member) {
  VALUES
  CONSTANT w = s.get();
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_of_member_over_lines'
CALLED(of_member_over_lines) {
  VALUES
  CONSTANT w = s
          .get();
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_static_member'
CALLED(static_member) {
  VALUES
  CONSTANT w = V::of(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_of_object'
CALLED(of_object) {
  VALUES
  CONSTANT w = s(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_subscript'
CALLED(subscript) {
  VALUES
  CONSTANT w = s[1];
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_conversion'
CALLED(conversion) {
  VALUES
  CONSTANT w = 3 + s;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_written_conversion'
CALLED(written_conversion) {
  VALUES
  CONSTANT w = static_cast<float>(s);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_of_operator'
CALLED(of_operator) {
  VALUES
  CONSTANT w = (s
       + s)
          .a;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_assigning_operator'
CALLED(assigning_operator) {
  VALUES
  CONSTANT s += x;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_negation'
CALLED(negation) {
  VALUES
  CONSTANT w = (-s).a;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_increment'
CALLED(increment) {
  VALUES
  CONSTANT ++s;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_constructor'
CALLED(constructor) {
  VALUES
  CONSTANT w = V(x).a;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_braces'
CALLED(braces) {
  VALUES
  CONSTANT w = V{
    x}.a;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_assignment'
CALLED(assignment) {
  VALUES
  CONSTANT s = t;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_converted'
CALLED(converted) {
  VALUES
  CONSTANT s = x;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_of_lambda'
CALLED(of_lambda) {
  VALUES
  CONSTANT w = [&](float q) { return opaque(q); }(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_in_lambda'
CALLED(in_lambda) {
  VALUES
  CONSTANT w = l(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_through_pointer'
CALLED(through_pointer) {
  VALUES
  CONSTANT w = p(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_through_member'
CALLED(through_member) {
  VALUES
  CONSTANT w = (s.*m)();
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_virtual'
CALLED(virtual) {
  VALUES
  CONSTANT w = u.v(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_chosen'
CALLED(chosen) {
  VALUES
  CONSTANT w = x > 0 ? opaque(x) : x;
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_with_default'
CALLED(with_default) {
  VALUES
  CONSTANT w = with_default(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_chain'
CALLED(chain) {
  VALUES
  CONSTANT w = (s + t + -t).get();
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_of_macro'
CALLED(of_macro) {
  VALUES
  CONSTANT w = OPAQUE(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_name_of_macro'
CALLED(name_of_macro) {
  VALUES
  CONSTANT w = NAME(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_argument_of_macro'
CALLED(argument_of_macro) {
  VALUES
  CONSTANT w = CALL(opaque, x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_statement_of_macro'
CALLED(statement_of_macro) {
  VALUES
  CONSTANT ASSIGN(w, opaque(x));
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_pasted'
CALLED(pasted) {
  VALUES
  CONSTANT w = PASTED(opa, que)(x);
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_placed'
CALLED(placed) {
  VALUES
  CONSTANT (void)new (&w) float(opaque(x));
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'call_expression'
CALLED(expression) {
  VALUES
  CONSTANT w = ({ float q = opaque(x); q; });
  return x * w + s.a;
}
// CHECK-DAG: cannot differentiate 'loop_for'
LOOPS(for) {
  float v = x[0];
  MARK for (int k = 0; k < n; ++k) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_for_over_lines'
LOOPS(for_over_lines) {
  float v = x[0];
  MARK
  for
    (int k = 0;
     k < n;
     ++k)
      { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_while'
LOOPS(while) {
  float v = x[0];
  MARK while (v < n) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_do'
LOOPS(do) {
  float v = x[0];
  MARK do { STORED v += s * s; } while (v < n);
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_range'
LOOPS(range) {
  float v = x[0];
  MARK for (float q : Range{n}) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_range_with_start'
LOOPS(range_with_start) {
  float v = x[0];
  MARK for (Range r{n}; float q : r) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_while_declares'
LOOPS(while_declares) {
  float v = x[0];
  MARK while (float d = v < n) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_while_destroys'
LOOPS(while_destroys) {
  float v = x[0];
  MARK while (Destroyed d{v}) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_for_destroys'
LOOPS(for_destroys) {
  float v = x[0];
  MARK for (; Destroyed d{v};) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_endless'
LOOPS(endless) {
  float v = x[0];
  MARK for (;;) { if (v > n) break; STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_continued'
LOOPS(continued) {
  float v = x[0];
  MARK for (int k = 0; k < n; ++k) { Destroyed d{v}; if (v > 3) continue; STORED v += s * s + d.a; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_while_continued'
LOOPS(while_continued) {
  float v = x[0];
  int k = 0;
  MARK while (k < n) { ++k; Destroyed d{v}; if (v > 3) continue; STORED v += s * s + d.a; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_do_continued'
LOOPS(do_continued) {
  float v = x[0];
  int k = 0;
  MARK do { ++k; Destroyed d{v}; if (v > 3) continue; STORED v += s * s + d.a; } while (k < n);
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_by_macro'
LOOPS(by_macro) {
  float v = x[0];
  MARK FOR(k, n) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_body_of_macro'
LOOPS(body_of_macro) {
  float v = x[0];
  MARK LOOP(n, STORED v += s * s;)
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_in_argument'
LOOPS(in_argument) {
  float v = x[0];
  DISPATCH(width, MARK for (int k = 0; k < n; ++k) { STORED v += s * s; });
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_in_arguments'
LOOPS(in_arguments) {
  float v = x[0];
  DISPATCH(height, DISPATCH(width, MARK FOR(k, n) { STORED v += s * s; }););
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_after_pragma'
LOOPS(after_pragma) {
  float v = x[0];
  
#pragma unroll 1
  MARK for (int k = 0; k < n; ++k) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_labelled'
LOOPS(labelled) {
  float v = x[0];
  again: MARK for (int k = 0; k < n; ++k) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_in_loop'
LOOPS(in_loop) {
  float v = x[0];
  for (int j = 0; j < 2; ++j) MARK for (int k = 0; k < n; ++k) { STORED v += s * s; }
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_in_lambda'
LOOPS(in_lambda) {
  float v = x[0];
  auto l = [&] { MARK for (int k = 0; k < n; ++k) { STORED v += s * s; } };
  l();
  *y = v;
}
// CHECK-DAG: cannot differentiate 'loop_in_generic_lambda'
LOOPS(in_generic_lambda) {
  float v = x[0];
  auto l = [&](auto m) { MARK for (int k = 0; k < m; ++k) { STORED v += s * s; } };
  l(n);
  *y = v;
}
