// kernix::bwd_diff<f> and kernix::fwd_diff<f>: typed by f's type, defined for what the file uses, without any attribute.
//
// RUN: %cuda-device -fplugin-arg-kernix-derive=off -S -emit-llvm -o - %s | FileCheck %s --check-prefix=DEVICE
// RUN: %kernix -fplugin-arg-kernix-derive=off -S -emit-llvm -o - -x c++ -DHOST %s | FileCheck %s --check-prefix=HOST
// RUN: not %cuda-device -fsyntax-only -DNEGATIVE %s 2>&1 | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=error:
// RUN: not %cuda-device -fsyntax-only -DARGUMENTS %s 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// RUN: not %cuda-device -fsyntax-only -DMEMBER %s 2>&1 | FileCheck %s --check-prefix=MEMBER --implicit-check-not=error:
// RUN: not %cuda-device -S -emit-llvm -o /dev/null -Xclang -disable-llvm-passes %s 2>&1 | FileCheck %s --check-prefix=PASSES
#include <kernix/kernix.h>

#ifdef HOST
#define __device__
#endif

struct Pair {
  float a, b;
};
__device__ float f(float x, int k, const float *p, float *q, Pair s, Pair &r, const Pair &c,
                   kernix::TensorView<const float> v) {
  return x * k * p[0] * s.a;
}
__device__ void nothing(double x, double &y) { y = x; }
static __device__ double internal(double x) { return x; }

__device__ float use(float x, float *g, Pair s, kernix::TensorView<float> v) {
  kernix::bwd_diff<f>(x, g, 3, g, g, g, nullptr, s, &s, s, &s, s, nullptr, v, v, 1.0f);
  kernix::Dual<float> d = kernix::fwd_diff<f>(x, 1.0f, 3, g, g, g, g, s, s, s, &s, s, s, v, v);
  double y = 0, gy = 1;
  kernix::bwd_diff<nothing>(1.0, &gy, y, &gy);
  static_assert(__is_same(decltype(kernix::fwd_diff<nothing>(1.0, 1.0, y, &gy)), void));
  return d.value + d.tangent + static_cast<float>(kernix::fwd_diff<internal>(1.0, 1.0).value);
}

// f's result is written to a local variable; the cotangent is the last parameter.
// DEVICE: define linkonce_odr {{.*}} @_ZN6kernix6detail11ReverseCallIXadL_Z1f{{.*}}4call
// DEVICE: call void @kernix_reverse_[[HASH:[0-9a-f]+]](
// DEVICE-SAME: ptr noundef null, ptr
// DEVICE: define internal void @kernix_reverse_[[HASH]](
// The forward derivative calls the same primal.
// RUN: %cuda-device -fplugin-arg-kernix-derive=off -S -emit-llvm -o - %s | FileCheck %s --check-prefix=PRIMAL
// PRIMAL: define internal void @kernix_primal_[[HASH:[0-9a-f]+]]({{.*}}ptr noundef %8)
// PRIMAL: call {{.*}} float @_Z1ffiPKf
// PRIMAL: call void @kernix_primal_[[HASH]](
// PRIMAL-NEXT: call void @kernix_derivative_was_not_made()
// HOST: define linkonce_odr {{.*}} @_ZN6kernix6detail11ReverseCallIXadL_Z1f{{.*}}4call
// HOST: call void @kernix_reverse_{{[0-9a-f]+}}(

// PASSES: :[[@LINE-22]]:11: error: kernix writes derivatives inside LLVM's pass pipeline: they cannot be combined with -save-temps or -disable-llvm-passes

#ifdef NEGATIVE
__device__ float negativeUndefined(float x);
__device__ int negativeInteger(int x) { return x; }
struct View {
  float *data;
};
__device__ float negativeStruct(View v, float x) { return x; }
__device__ void negative(float *g) {
  kernix::bwd_diff<negativeUndefined>(1.0f, g, 1.0f);
// NEGATIVE: :[[@LINE-1]]:11: error: the derivative of 'negativeUndefined' is asked for, but its body is not visible
// NEGATIVE: :[[@LINE-9]]:18: note: define it in this file, or give it a {{\[\[}}kernix::backward_derivative(...)]]
  kernix::bwd_diff<negativeInteger>(1);
// NEGATIVE: :[[@LINE-1]]:11: error: 'negativeInteger' is differentiable but has no floating-point input to differentiate by
  kernix::bwd_diff<negativeStruct>(View(), nullptr, 1.0f, g, 1.0f);
// NEGATIVE: :[[@LINE-8]]:38: error: 'v' of type 'View' cannot be differentiated: field 'data' of type 'float *' is not made of arithmetic scalars
// NEGATIVE: :[[@LINE-9]]:38: note: mark it {{\[\[}}kernix::no_diff]] if it is a constant of the derivative
}
#endif

#ifdef ARGUMENTS
__device__ void arguments(float *g) {
  kernix::bwd_diff<nothing>(1.0, g);
// ARGUMENTS: error: too few arguments to function call, expected 4, have 2
// ARGUMENTS: :[[@LINE-2]]:11: note: in instantiation of function template specialization 'kernix::bwd_diff<&nothing,
}
#endif

#ifdef MEMBER
struct Member {
  __device__ float f(float x) const { return x; }
};
__device__ void member(float *g) {
  kernix::bwd_diff<&Member::f>(Member(), nullptr, 1.0f, g, 1.0f);
// MEMBER: error: static assertion failed {{.*}}: kernix: bwd_diff and fwd_diff are of functions and static members; for a member of an object write a function that takes it, R f(const C &object, ...), and calls the member
// MEMBER: :[[@LINE-2]]:11: note: in instantiation of
}
#endif

// Behind a reference to an incomplete type there is nothing to be read, and no size.
struct Incomplete;
__device__ float besideIncomplete(float x, [[kernix::no_diff]] const Incomplete &) { return x * x; }
__device__ void incomplete(const Incomplete &i, float *g) {
  kernix::bwd_diff<besideIncomplete>(3.0f, g, i, nullptr, 1.0f);
}
