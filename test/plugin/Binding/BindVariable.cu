// A constexpr function pointer binds one overload, a specialisation, or a function that cannot be edited.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: host dot3f = dot<float>(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
template <class T> T dot(T x) { return x; }
// CHECK: host dotLong = dot<long>(long x) [attr.x:int64]
// CHECK-NEXT:   x: attr scalar int64
// CHECK-NEXT:   -> ret scalar int64
template <> long dot(long x) { return x + 1; }
// CHECK: host overloadInt = overload(int x) [attr.x:int32]
// CHECK-NEXT:   x: attr scalar int32
// CHECK-NEXT:   -> ret scalar int32
int overload(int x) { return x; }
// CHECK: host overloadFloat = overload(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
float overload(float x) { return x; }
// CHECK: host geo::member = Class::member(int x) [attr.x:int32]
// CHECK-NEXT:   x: attr scalar int32
// CHECK-NEXT:   -> ret scalar int32
struct Class {
  static int member(int x) { return x; }
// CHECK: host innerMember = Class::Inner<float>::member(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
  template <class T> struct Inner {
    static T member(T x) { return x; }
  };
};
// CHECK: kernel launchOfVariable = kernelTemplate<double>(const double *x, double *y) [arg ret] grid=['ceil_div(x.numel(), block.x)'] block=['128'] shared_bytes=4 * block.x only-x
// CHECK-NEXT:   x: arg pointer float64
// CHECK-NEXT:   y: ret pointer float64 written
template <class T> __global__ void kernelTemplate(const T *x, T *y) { *y = *x; }
// CHECK: kernel variableBeforeFunction = kernel(float *y) [ret] block=['64'] memory_efficiency=1 performance_factor=2.5 tensor_cores=True only-x
// CHECK-NEXT:   y: ret pointer float32 written
[[kernix::block(32), kernix::capability(plain)]] __global__ void kernel(float *y) { *y = 1; }
// CHECK: host library = notDefinedHere(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
float notDefinedHere(float x) noexcept;

/// Multiplies.
[[kernix::bind("dot3f")]] constexpr auto dotFloat = &dot<float>;
[[kernix::bind]] constexpr auto dotLong = &dot<long>;
[[kernix::bind]] constexpr auto overloadInt = static_cast<int (*)(int)>(&overload);
[[kernix::bind]] constexpr float (*overloadFloat)(float) = overload;
namespace geo {
[[kernix::bind]] constexpr auto member = &Class::member;
} // namespace geo
[[kernix::bind]] constexpr auto innerMember = &Class::Inner<float>::member;
[[kernix::bind, kernix::grid("ceil_div(x.numel(), block.x)"), kernix::block(128), kernix::shared_bytes("4 * block.x")]] constexpr auto
    launchOfVariable = &kernelTemplate<double>;
[[kernix::bind, kernix::block(64), kernix::capability(tensor_cores, 2.5)]] constexpr auto variableBeforeFunction = &kernel;
[[kernix::bind]] constexpr auto library = &notDefinedHere;
