// Roles come from canonical types: aliases, templates, macros, auto and namespaces make no difference.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

namespace BE {
using Tensor = kernix::Tensor;
}
using In = const BE::Tensor;
typedef float real;
template <class T> using View = kernix::TensorView<T>;
#define OUT(name) BE::Tensor name

// CHECK: host aliases = aliases(In a, BE::Tensor b) [arg ret]
// CHECK-NEXT:   a: arg tensor any
// CHECK-NEXT:   b: ret tensor any written
[[kernix::bind]] void aliases(In a, OUT(b)) { b.data_ptr<real>()[0] = 1; }

namespace {
using namespace kernix;
// CHECK: host usingDirective = usingDirective(const Tensor a, Tensor b, View<const real> v) [arg ret arg]
// CHECK-NEXT:   a: arg tensor any
// CHECK-NEXT:   b: ret tensor any written
// CHECK-NEXT:   v: arg tensor_view float32
[[kernix::bind]] void usingDirective(const Tensor a, Tensor b, View<const real> v) { b.data_ptr<real>()[0] = 1; }
} // namespace

template <class T> struct Traits {
  using Pointer = T *;
};
// CHECK: kernel dependent = dependent(Traits<const real>::Pointer x, Traits<real>::Pointer y, decltype(sizeof 0) n) [arg ret attr.n:uint64] only-x
// CHECK-NEXT:   x: arg pointer float32
// CHECK-NEXT:   y: ret pointer float32 written
// CHECK-NEXT:   n: attr scalar uint64
[[kernix::bind]] __global__ void dependent(Traits<const real>::Pointer x, Traits<real>::Pointer y,
                                           decltype(sizeof 0) n) {
  *y = *x;
}

// CHECK: host abbreviated = abbreviated<float, int>(float x, const int y) [attr.x:float32 attr.y:int32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   y: attr scalar int32
// CHECK-NEXT:   -> ret scalar float32
template <class T> [[kernix::bind]] T abbreviated(T x, const auto y) { return x; }
template float abbreviated(float, int);

// CHECK: host packed = packed<float, double>(int first, float rest, double rest_1) [attr.first:int32 attr.rest:float32 attr.rest_1:float64]
// CHECK-NEXT:   first: attr scalar int32
// CHECK-NEXT:   rest: attr scalar float32
// CHECK-NEXT:   rest_1: attr scalar float64
// CHECK-NEXT:   -> ret scalar int32
template <class... Pack> [[kernix::bind]] int packed(int first, Pack... rest) { return first; }
template int packed(int, float, double);

// CHECK: host unnamed = unnamed(int arg0_, float arg0, double arg2) [attr.arg0_:int32 attr.arg0:float32 attr.arg2:float64]
// CHECK-NEXT:   arg0_: attr scalar int32
// CHECK-NEXT:   arg0: attr scalar float32
// CHECK-NEXT:   arg2: attr scalar float64
[[kernix::bind]] void unnamed(int, float arg0, double) {}
