// What a view that carries its gradient is to a kernel: seen in the body, unless const or an intent says it.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;

// CHECK: kernel seen = seen(View x, View y, View z) [arg ret ret] only-x
// CHECK-NEXT:   x: arg tensor_view float32
// CHECK-NEXT:   y: ret tensor_view float32 written
// CHECK-NEXT:   z: ret tensor_view float32 written zero_init
[[kernix::bind]] __global__ void seen(View x, View y, View z) {
  unsigned i = kernix::global_index().x;
  if (i < x.size(0)) {
    y[i] = x.loadUniform(i);
    z[i] += x[i];
  }
}

// An element that has a name is still the element.
// CHECK: kernel named = named(View x, View y) [arg ret]
[[kernix::bind]] __global__ void named(View x, View y) {
  auto from = x[threadIdx.x];
  auto to = y[threadIdx.x];
  to = from;
}

// Through functions, by reference and by value, and through the values themselves.
__device__ void put(View to, int i, float v) { to.store(i, v); }
template <class Element> __device__ void set(Element to, float v) { to = v; }
// CHECK: kernel passed = passed(const View x, View y, View z, View w) [arg ret ret ret]
[[kernix::bind]] __global__ void passed(const View x, View y, View z, View w) {
  put(y, 0, x.load(0));
  set(z[0], 1);
  w.primal[0] = x.primal[0];
}

// A class of the user's: its members are looked into. Calls of others need a word.
struct Own : kernix::DiffTensorView<float> {
  __device__ float twice(int i) const { return 2 * at(i); }
  __device__ float &at(int i) const { return primal(i); }
  __device__ void put(int i, float v) const { primal(i) = v; }
};
// CHECK: kernel own = own(Own x, Own y, View z) [arg ret ret]
[[kernix::bind]] __global__ void own(Own x, Own y, [[kernix::intent(out_ptr)]] View z) {
  y.put(0, x.twice(0));
  y.put(1, static_cast<float>(z.size(0)));
}

// Each type that has values.
// CHECK: kernel types = types({{.*}}) [arg arg arg ret]
// CHECK-NEXT:   a: arg tensor_view int32
// CHECK-NEXT:   b: arg tensor_view float32 3
// CHECK-NEXT:   c: arg tensor_view float64
[[kernix::bind]] __global__ void types(kernix::DiffTensorViewAA<int> a, kernix::DiffTensorViewAA<float3> b,
                                       kernix::DiffTensorViewAA<double> c, View y) {
  y[0] = a[0] + b.load(0).x + static_cast<float>(c[0]);
}
