// What is bound, and under which name.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

/// Adds one.
// CHECK: host plain = plain(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
[[kernix::bind]] float plain(float x) { return x; }
// CHECK: host given = named(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
[[kernix::bind("given")]] float named(float x) { return x; }
// CHECK: host external = external(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
extern "C" [[kernix::bind]] float external(float x) { return x; }
// CHECK: host inLinkageBlock = inLinkageBlock(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
extern "C" {
[[kernix::bind]] float inLinkageBlock(float x) { return x; }
}
// CHECK: host internal = internal(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
[[kernix::bind]] static float internal(float x) { return x; }
// CHECK: host inlined = inlined(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
[[kernix::bind]] inline float inlined(float x) noexcept { return x; }
// CHECK: host constant = constant(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
[[kernix::bind]] constexpr float constant(float x) { return x; }
// CHECK: host deduced = deduced(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
[[kernix::bind]] auto deduced(float x) { return x; }
// CHECK: host trailing = trailing(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float64
[[kernix::bind]] auto trailing(float x) -> double { return x; }

// CHECK: host geo::inner::nested = geo::inner::nested(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
namespace geo::inner {
[[kernix::bind]] float nested(float x) { return x; }
// CHECK: host flat = geo::inner::nestedNamed(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
[[kernix::bind("flat")]] float nestedNamed(float x) { return x; }
// CHECK: host geo::inner::inInline = geo::inner::inInline(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
inline namespace v1 {
[[kernix::bind]] float inInline(float x) { return x; }
// CHECK: host geo::inner::inAnonymous = geo::inner::inAnonymous(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
} // namespace v1
namespace {
[[kernix::bind]] float inAnonymous(float x) { return x; }
} // namespace
} // namespace geo::inner

// CHECK: host Class::member = Class::member(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
struct Class {
  [[kernix::bind]] static float member(float x) { return x; }

// CHECK: host Class::privateMember = Class::privateMember(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
private:
  [[kernix::bind]] static float privateMember(float x) { return x; }
};

// Redeclarations and the definition in either order, the attribute on any one of them.
[[kernix::bind]] float attributeFirst(float x);
// CHECK: host attributeFirst = attributeFirst(float value) [attr.value:float32]
// CHECK-NEXT:   value: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
float attributeFirst(float value) { return value; }
// CHECK: host attributeLast = attributeLast(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
float attributeLast(float x) { return x; }
[[kernix::bind]] float attributeLast(float);
float attributesOnParameters(int n, const kernix::Tensor x);
[[kernix::bind]] float attributesOnParameters([[kernix::value("x.numel()")]] int n, const kernix::Tensor x);
// CHECK: host attributesOnParameters = attributesOnParameters(int n, const kernix::Tensor x) [attr.n:int32 arg]
// CHECK-NEXT:   n: attr scalar int32 value=(x.numel())
// CHECK-NEXT:   x: arg tensor any shape=(3)
// CHECK-NEXT:   -> ret scalar float32
float attributesOnParameters(int n, [[kernix::shape("3")]] const kernix::Tensor x) { return 1; }

// Every instantiation of the file, however it comes about.
// CHECK: host instantiated = instantiated<double, 2>(double x) [attr.x:float64]
// CHECK-NEXT:   x: attr scalar float64
// CHECK-NEXT:   -> ret scalar float64
// CHECK: host instantiated = instantiated<float, 2>(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
// CHECK: host instantiated = instantiated<char, 2>(char x) [attr.x:int8]
// CHECK-NEXT:   x: attr scalar int8
// CHECK-NEXT:   -> ret scalar int8
template <class T, int N = 2> [[kernix::bind]] T instantiated(T x) { return x; }
template double instantiated(double);
extern template int instantiated(int);
inline float use() { return instantiated(1.f) + instantiated<char>(1); }
template <> long instantiated<long>(long x) { return x; }
// CHECK: host special = instantiated<short, 2>(short y) [attr.y:int16]
// CHECK-NEXT:   y: attr scalar int16
// CHECK-NEXT:   -> ret scalar int16
template <> [[kernix::bind("special")]] short instantiated<short>(short y) { return y; }
// CHECK: kernel launched = launched<float>(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
template <class T> [[kernix::bind]] __global__ void launched(T *y) { *y = 1; }
void launch(float *p) { launched<<<1, 1>>>(p); }

// Overloads are variants.
// CHECK: host overloaded = overload(int x) [attr.x:int32]
// CHECK-NEXT:   x: attr scalar int32
// CHECK-NEXT:   -> ret scalar int32
[[kernix::bind("overloaded")]] int overload(int x) { return x; }
// CHECK: host overloaded = overload(float x) [attr.x:float32]
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   -> ret scalar float32
[[kernix::bind("overloaded")]] float overload(float x) { return x; }
