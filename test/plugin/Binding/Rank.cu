// The rank of a view is the number of indices that its accesses give, where they agree.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// RUN: %cpu-device -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

using In = kernix::TensorView<const float>;
using Out = kernix::TensorView<float>;

// CHECK: kernel direct =
// CHECK-NEXT: x: {{.*}} rank 2{{$}}
// CHECK-NEXT: y: {{.*}} rank 1{{$}}
[[kernix::bind]] __global__ void direct(In x, Out y) { y[0] = x(0, 1) + x(1, 0); }
__device__ float helper(In view, int i) { return view(i, 0, 0); }
// CHECK: kernel inHelper =
// CHECK-NEXT: x: {{.*}} rank 3{{$}}
// CHECK-NEXT: y: {{.*}} rank 1{{$}}
[[kernix::bind]] __global__ void inHelper(const In x, Out y) { y(0) = helper(x, 1); }
// CHECK: kernel copied =
// CHECK-NEXT: x: {{.*}} rank 2{{$}}
// CHECK-NEXT: y: {{.*}} rank 0{{$}}
[[kernix::bind]] __global__ void copied(In x, Out y) {
  In z = x;
  y() = z(0, 0);
}
template <class T> __device__ float generic(T view) { return view(0, 1); }
// CHECK: kernel inTemplate =
// CHECK-NEXT: x: {{.*}} rank 2{{$}}
// CHECK-NEXT: y: {{.*}} rank 1{{$}}
[[kernix::bind]] __global__ void inTemplate(In x, Out y) { y[0] = generic(x); }
// CHECK: kernel vectors =
// CHECK-NEXT: x: {{.*}} rank 2{{$}}
// CHECK-NEXT: y: {{.*}} rank 1{{$}}
[[kernix::bind]] __global__ void vectors(kernix::TensorView<const float4> x, Out y) { y[0] = x(1, 1).w; }
// CHECK: host host =
// CHECK-NEXT: x: {{.*}} rank 2{{$}}
[[kernix::bind]] float host(In x) { return x(0, 0); }

// CHECK: kernel several =
// CHECK-NEXT: x: {{.*[^0-8]$|.*float32$}}
// CHECK-NEXT: y: {{.*}} rank 1{{$}}
[[kernix::bind]] __global__ void several(In x, Out y) { y[0] = x(0) + x(0, 1); }
// CHECK: kernel asked =
// CHECK-NEXT: x: {{.*[^0-8]$|.*float32$}}
// CHECK-NEXT: y: {{.*}} rank 1{{$}}
[[kernix::bind]] __global__ void asked(In x, Out y) { y[0] = x.rank() == 1 ? 0 : x(0, 1); }
// CHECK: kernel replaced =
// CHECK-NEXT: x: {{.*[^0-8]$|.*float32$}}
// CHECK-NEXT: z: {{.*[^0-8]$|.*float32$}}
// CHECK-NEXT: y: {{.*}} rank 1{{$}}
[[kernix::bind]] __global__ void replaced(In x, In z, Out y) {
  x = z;
  y[0] = x(0) + z(0);
}
float opaque(In x);
// CHECK: host unseen =
// CHECK-NEXT: x: {{.*[^0-8]$|.*float32$}}
[[kernix::bind]] float unseen(In x) { return x(0) + opaque(x); }
// CHECK: kernel pointers =
// CHECK-NEXT: x: {{.*[^0-8]$|.*float32$}}
// CHECK-NEXT: y: {{.*[^0-8]$|.*float32$}}
[[kernix::bind]] __global__ void pointers(In x, Out y) { y.data()[0] = *x.data() + x.size(3); }
// CHECK: host untyped =
// CHECK-NEXT: x: {{.*[^0-8]$|.*float32$}}
// CHECK-NEXT: y: {{.*[^0-8]$|.*float32$}}
[[kernix::bind]] void untyped(const kernix::Tensor x, kernix::Tensor y) { y.data_ptr<float>()[0] = x.size(1); }
