// Members of device code that need an object: functions that take it first, or give it.
// RUN: %clang --config=%root/share/kernix/kernix-numba.cfg -nocudainc -nocudalib -isystem %inputs --cuda-gpu-arch=sm_90 \
// RUN:   -include cuda.h -fplugin-arg-kernix-unit=a -fplugin-arg-kernix-records=%t.json -O1 -S -emit-llvm -o %t.ll -x cuda %s
// RUN: FileCheck %s --input-file=%t.json
// RUN: not %clang --config=%root/share/kernix/kernix-numba.cfg -nocudainc -nocudalib -isystem %inputs --cuda-gpu-arch=sm_90 \
// RUN:   -include cuda.h -fplugin-arg-kernix-unit=a -fsyntax-only -DNEGATIVE -x cuda %s 2>&1 | FileCheck %s --check-prefix=NEGATIVE
#include <kernix/kernix.h>

namespace geo {
struct Box {
  float width, height;
  // CHECK-DAG: "member":{"is_constructor":true,"name":"Box"},{{.*}}"name":"geo::Box::Box",{{.*}}"signature":"geo::Box::Box(float side)"
  [[kernix::bind]] __device__ Box(float side) : width(side), height(side) {}
  // CHECK-DAG: "member":{"is_constructor":false,"name":"area"},{{.*}}"name":"geo::Box::area",{{.*}}"signature":"geo::Box::area(const geo::Box &self, float scale)"
  [[kernix::bind]] __device__ float area(float scale = 1) const { return width * height * scale; }
  // What changes the object takes its address.
  // CHECK-DAG: "name":"geo::Box::grow",{{.*}}"intent":"inout_ptr"{{.*}}"signature":"geo::Box::grow(geo::Box &self, float by)"
  [[kernix::bind]] __device__ void grow(float by) { width += by; }
  // CHECK-DAG: "name":"sum",{{.*}}"operator":"+"
  [[kernix::bind("sum")]] __device__ Box operator+(const Box &o) const { return Box(width + o.width); }
#ifdef NEGATIVE
  // NEGATIVE: :[[@LINE+1]]:5: error: 'operator-' is an operator and needs a public name: {{\[\[}}kernix::bind("name"){{\]\]}}
  [[kernix::bind]] __device__ Box operator-(const Box &o) const { return Box(width - o.width); }
  // NEGATIVE: :[[@LINE+1]]:5: error: 'scaled' needs an object and has no derivatives of its own: bind a function that takes the object and calls it
  [[kernix::bind, kernix::differentiable]] __device__ float scaled(float by) const { return width * by; }
  // NEGATIVE: :[[@LINE+1]]:38: error: a result of type 'float &' cannot be bound: it is a reference or a pointer
  [[kernix::bind]] __device__ float &side() { return width; }
#endif
};
} // namespace geo
#ifdef NEGATIVE
template <class T> struct Of {
  // NEGATIVE: :[[@LINE+1]]:5: error: 'get' is a member of a class template and needs an object: bind a function that takes the object and calls it
  [[kernix::bind]] __device__ T get() const { return T(); }
};
#endif

// Overloads that could not be variants of one operation.
// CHECK-DAG: "name":"f",
// CHECK-DAG: "name":"f_2",{{.*}}"overload_of":"f"
[[kernix::bind]] __device__ float f(float a) { return a; }
[[kernix::bind]] __device__ float f(float x, float y) { return x + y; }

// For callers in device code this is a device function.
// CHECK-DAG: "kind":"device",{{.*}}"name":"both"
[[kernix::bind]] __host__ __device__ float both(float x) { return x; }
