// Annotated statements are found whatever debug information the source is compiled with, in functions that macros for
// inlining take out of it, and in arguments of macros.
// RUN: %cpu-device -O1 -c %s -o /dev/null
// RUN: %cpu-device -O1 -g0 -c %s -o /dev/null
// RUN: %cpu-device -O1 -gno-column-info -c %s -o /dev/null
// RUN: %cpu-device -O1 -g -gno-column-info -c %s -o /dev/null
// RUN: %cpu-device -O1 -gcodeview -c %s -o /dev/null
// RUN: %cpu-device -O1 -gsce -c %s -o /dev/null
// RUN: %cpu-device -O1 -gmlt -c %s -o /dev/null
// RUN: %cpu-device -O1 -gkey-instructions -g -c %s -o /dev/null
// RUN: %cpu-device -O1 -ffile-prefix-map=%s=elsewhere.cu -c %s -o /dev/null
// RUN: %cpu-device -O1 -ffile-prefix-map=%s= -c %s -o /dev/null
// RUN: %cpu-device -O1 -ffile-prefix-map=%s= -g -c %s -o /dev/null
// RUN: %cuda-device -O1 -g -gno-column-info -S -emit-llvm %s -o /dev/null
// RUN: not %cpu-device -O1 -DUNMARKED -ferror-limit=0 -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %cpu-device -O1 -DSTORED -ferror-limit=0 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=STORED
// RUN: not %cpu-device -O1 -DSTORED -gno-column-info -ferror-limit=0 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=STORED
// A source without attributes keeps the debug information that it asks for.
// RUN: %clang -g -gno-column-info -c %S/Inputs/plain.cpp -o %t.without && %kernix -g -gno-column-info -c %S/Inputs/plain.cpp -o %t.with && cmp %t.with %t.without
// REQUIRES: cpu
// clang-format off
#include <kernix/kernix.h>

#ifdef UNMARKED
#define CONSTANT
#define BOUND
#else
#define CONSTANT [[kernix::no_diff]]
#define BOUND [[kernix::max_iters(8)]]
#endif
#define FORCE __attribute__((always_inline, nodebug)) inline __device__

// Without the attributes: bits of a number are used, and values are stored in a loop without a bound.
__device__ inline float opaque(float x) { return __builtin_bit_cast(float, __builtin_bit_cast(int, x) * 3); }

// CHECK-DAG: cannot differentiate 'plain'
[[kernix::bind, kernix::differentiable]] __global__ void plain(const float *x, float *y, int n) {
  float w = 0;
  CONSTANT w = opaque(x[0]);
  *y = w * x[0];
}
// CHECK-DAG: cannot differentiate 'bounded'
[[kernix::bind, kernix::differentiable]] __global__ void bounded(const float *x, float *y, int n) {
  float v = x[0];
  BOUND for (int k = 0; k < n; ++k) {
    [[kernix::store]] float s = v * v;
    v += s * s;
  }
  *y = v;
}

FORCE float inlined(float x) {
  float w = 0;
  CONSTANT w = opaque(x);
  return w * x;
}
// CHECK-DAG: cannot differentiate 'calls_inlined'
[[kernix::bind, kernix::differentiable]] __global__ void calls_inlined(const float *x, float *y) { *y = inlined(x[0]); }

namespace inner {
struct Scale {
  template <class T> FORCE static T of(T x) {
    T w = 0;
    CONSTANT w = opaque(x);
    return w * x;
  }
};
// Its instance exists before its body.
template <class T> FORCE T later(T x);
FORCE float before(float x) { return later(x); }
template <class T> FORCE T later(T x) {
  T w = 0;
  CONSTANT w = opaque(x);
  return w * x;
}
template <class T> struct Loop {
  T bound;
  FORCE T run(T v) const {
    BOUND for (int k = 0; k < bound; ++k) {
      [[kernix::store]] T s = v * v;
      v += s * s;
    }
    return v;
  }
};
} // namespace inner
// CHECK-DAG: cannot differentiate 'calls_members'
[[kernix::bind, kernix::differentiable]] __global__ void calls_members(const float *x, float *y) {
  *y = inner::Scale::of(x[0]);
}
// CHECK-DAG: cannot differentiate 'calls_later'
[[kernix::bind, kernix::differentiable]] __global__ void calls_later(const float *x, float *y) { *y = inner::before(x[0]); }
// CHECK-DAG: cannot differentiate 'calls_loop'
[[kernix::bind, kernix::differentiable]] __global__ void calls_loop(const float *x, float *y, int n) {
  *y = inner::Loop<float>{static_cast<float>(n)}.run(x[0]);
}

// Functions of every kind.
#define CALLS(name, ...)                                                                                               \
  [[kernix::bind, kernix::differentiable]] __global__ void name(const float *x, float *y) { *y = __VA_ARGS__; }
template <class T> FORCE T explicitly(T x) { T w; CONSTANT w = opaque(x); return w * x; }
template __device__ float explicitly<float>(float);
// CHECK-DAG: cannot differentiate 'calls_explicitly'
CALLS(calls_explicitly, explicitly(x[0]))
template <class T> struct Outside {
  FORCE T run(T x);
  template <class U> FORCE U inside(U x) { U w; CONSTANT w = opaque(x); return w * x; }
};
template <class T> __device__ T Outside<T>::run(T x) { T w; CONSTANT w = opaque(x); return w * x; }
template <> FORCE double Outside<double>::run(double x) { double w; CONSTANT w = opaque(x); return w * x; }
// CHECK-DAG: cannot differentiate 'calls_outside'
CALLS(calls_outside, Outside<float>().run(x[0]))
// CHECK-DAG: cannot differentiate 'calls_specialized'
CALLS(calls_specialized, Outside<double>().run(x[0]))
// CHECK-DAG: cannot differentiate 'calls_inside'
CALLS(calls_inside, Outside<float>().inside(x[0]))
struct Class {
  float v;
  FORCE Class(float x) { float w; CONSTANT w = opaque(x); v = w * x; }
  FORCE operator float() const { float w; CONSTANT w = opaque(v); return w * v; }
  friend FORCE float hidden(Class, float x) { float w; CONSTANT w = opaque(x); return w * x; }
};
// CHECK-DAG: cannot differentiate 'calls_class'
CALLS(calls_class, Class(x[0]))
// CHECK-DAG: cannot differentiate 'calls_friend'
CALLS(calls_friend, hidden(Class(0), x[0]))
extern "C" { FORCE float of_c(float x) { float w; CONSTANT w = opaque(x); return w * x; } }
// CHECK-DAG: cannot differentiate 'calls_c'
CALLS(calls_c, of_c(x[0]))
auto variable = [] __attribute__((nodebug)) (float x) { float w; CONSTANT w = opaque(x); return w * x; };
// CHECK-DAG: cannot differentiate 'calls_variable'
CALLS(calls_variable, decltype(variable){}(x[0]))
template <class T> FORCE T generic(T x) {
  auto l = [&](auto q) __attribute__((nodebug)) { decltype(q) w; CONSTANT w = opaque(q); return w * q; };
  return l(x);
}
// CHECK-DAG: cannot differentiate 'calls_generic'
CALLS(calls_generic, generic(x[0]))
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
inline __device__ float by_pragma(float x) { float w; CONSTANT w = opaque(x); return w * x; }
#pragma clang attribute pop
// CHECK-DAG: cannot differentiate 'calls_by_pragma'
CALLS(calls_by_pragma, by_pragma(x[0]))
// CHECK-DAG: cannot differentiate 'instance'
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float")]] __attribute__((nodebug)) __global__ void instance(const T *x, T *y) {
  T w;
  CONSTANT w = opaque(x[0]);
  *y = w * x[0];
}

// What is written in the argument of a macro.
#define WITH(name, ...) { constexpr int name = 1; (void)name; __VA_ARGS__ }
// CHECK-DAG: cannot differentiate 'argument'
[[kernix::bind, kernix::differentiable]] __global__ void argument(const float *x, float *y) {
  float w = 0;
  WITH(of_macro, CONSTANT w = opaque(x[0]);)
  *y = w * x[0];
}
// CHECK-DAG: cannot differentiate 'lambda'
[[kernix::bind, kernix::differentiable]] __global__ void lambda(const float *x, float *y, int n) {
  float v = x[0];
  WITH(of_macro, auto add = [&]() __attribute__((nodebug)) {
    BOUND for (int k = 0; k < n; ++k) {
      [[kernix::store]] float s = v * v;
      v += s * s;
    }
  };
  add();)
  *y = v;
}
#line 7 "generated.cu"
// CHECK-DAG: cannot differentiate 'from_elsewhere'
[[kernix::bind, kernix::differentiable]] __global__ void from_elsewhere(const float *x, float *y) {
  float w = 0;
#line 3 "other.cu"
  CONSTANT w = opaque(x[0]);
  *y = w * x[0];
}
#line 5 ""
// CHECK-DAG: cannot differentiate 'from_nowhere'
[[kernix::bind, kernix::differentiable]] __global__ void from_nowhere(const float *x, float *y) {
  float w = 0;
  CONSTANT w = opaque(x[0]);
  *y = w * x[0];
}
#ifdef STORED
// The attribute on a function keeps the places of its loops, in functions of every kind. An instance that the class
// itself needs is compiled before the class is complete.
#define LOOP for (int k = 0; k < n; ++k) v += v * v;
#define STORES(name, ...)                                                                                              \
  [[kernix::bind, kernix::differentiable]] __global__ void name(const float *x, float *y, int n) { *y = __VA_ARGS__; }
namespace inner {
[[kernix::store]] FORCE float steps(float v, int n) { LOOP return v; }
} // namespace inner
// STORED-DAG: error: cannot differentiate 'stored': {{\[\[}}kernix::store]] on a loop of which it is not known how often
STORES(stored, inner::steps(x[0], n))
template <class T> [[kernix::store]] FORCE T of_template(T v, int n) { LOOP return v; }
// STORED-DAG: cannot differentiate 'stored_of_template': {{\[\[}}kernix::store]] on a loop
STORES(stored_of_template, of_template(x[0], n))
template <class T> [[kernix::store]] __device__ T declared(T v, int n);
// STORED-DAG: cannot differentiate 'stored_declared': {{\[\[}}kernix::store]] on a loop
STORES(stored_declared, declared(x[0], n))
template <class T> FORCE T declared(T v, int n) { LOOP return v; }
[[kernix::store]] FORCE auto of_auto(auto v, int n) { LOOP return v; }
// STORED-DAG: cannot differentiate 'stored_of_auto': {{\[\[}}kernix::store]] on a loop
STORES(stored_of_auto, of_auto(x[0], n))
template <class T> [[kernix::store]] FORCE T instance_of(T v, int n) { LOOP return v; }
template __device__ float instance_of<float>(float, int);
// STORED-DAG: cannot differentiate 'stored_instance_of': {{\[\[}}kernix::store]] on a loop
STORES(stored_instance_of, instance_of(x[0], n))
struct Whole {
  [[kernix::store]] FORCE float member(float v, int n) const { LOOP return v; }
  [[kernix::store]] friend FORCE float befriended(Whole, float v, int n) { LOOP return v; }
  template <class T> [[kernix::store]] FORCE auto deduced(T v, int n) const { LOOP return v; }
  template <class T> FORCE auto all(T v, int n) const { return deduced(v, n) + member(v, n) + befriended(*this, v, n); }
  FORCE float run(float v, int n) const { return all(v, n); }
};
// STORED-DAG: cannot differentiate 'stored_member': {{\[\[}}kernix::store]] on a loop
STORES(stored_member, Whole().member(x[0], n))
// STORED-DAG: cannot differentiate 'stored_befriended': {{\[\[}}kernix::store]] on a loop
STORES(stored_befriended, befriended(Whole(), x[0], n))
// STORED-DAG: cannot differentiate 'stored_deduced': {{\[\[}}kernix::store]] on a loop
STORES(stored_deduced, Whole().deduced(x[0], n))
template <class T> struct Generic {
  [[kernix::store]] FORCE T member(T v, int n) const { LOOP return v; }
  [[kernix::store]] friend FORCE T of_generic(Generic, T v, int n) { LOOP return v; }
};
// STORED-DAG: cannot differentiate 'stored_in_generic': {{\[\[}}kernix::store]] on a loop
STORES(stored_in_generic, Generic<float>().member(x[0], n))
// STORED-DAG: cannot differentiate 'stored_of_generic': {{\[\[}}kernix::store]] on a loop
STORES(stored_of_generic, of_generic(Generic<float>(), x[0], n))
auto global_lambda = [] [[kernix::store]] (auto v, int n) __attribute__((nodebug)) { LOOP return v; };
// STORED-DAG: cannot differentiate 'stored_global_lambda': {{\[\[}}kernix::store]] on a loop
STORES(stored_global_lambda, decltype(global_lambda){}(x[0], n))
struct Holder {
  static constexpr auto lambda = [] [[kernix::store]] (float v, int n) __attribute__((nodebug)) { LOOP return v; };
};
// STORED-DAG: cannot differentiate 'stored_member_lambda': {{\[\[}}kernix::store]] on a loop
STORES(stored_member_lambda, decltype(Holder::lambda){}(x[0], n))
#endif
