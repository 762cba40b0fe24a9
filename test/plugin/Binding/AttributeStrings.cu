// shape, value, grid, block, shared_bytes and optional in the record.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: host shapes = shapes(const kernix::Tensor x, kernix::Tensor like, kernix::Tensor blanks, kernix::Tensor axes, kernix::Tensor one, int n) [arg ret ret ret ret attr.n:int32]
// CHECK-NEXT:   x: arg tensor any
// CHECK-NEXT:   like: ret tensor any written shape=(x) like 0
// CHECK-NEXT:   blanks: ret tensor any written shape=(x) like 0
// CHECK-NEXT:   axes: ret tensor any written shape=(x.size(0), 3)
// CHECK-NEXT:   one: ret tensor any written shape=(x.size(-1) + n)
// CHECK-NEXT:   n: attr scalar int32
[[kernix::bind]] void shapes(const kernix::Tensor x, [[kernix::shape("x")]] kernix::Tensor like,
                             [[kernix::shape(" x ")]] kernix::Tensor blanks,
                             [[kernix::shape("x.size(0)", "3")]] kernix::Tensor axes,
                             [[kernix::shape("x.size(-1) + n")]] kernix::Tensor one, int n) {
  like.data_ptr<float>()[0] = 1;
}
// CHECK: host checkedInput = checkedInput(const kernix::Tensor x, int n) [arg attr.n:int32]
// CHECK-NEXT:   x: arg tensor any shape=(n, n)
// CHECK-NEXT:   n: attr scalar int32
// CHECK-NEXT:   -> ret scalar int32
[[kernix::bind]] int checkedInput([[kernix::shape("n", "n")]] const kernix::Tensor x, int n) { return 0; }
// CHECK: host values = values(const kernix::Tensor x, int a, unsigned char b, const long &c) [arg attr.a:int32 attr.b:uint8 attr.c:int64]
// CHECK-NEXT:   x: arg tensor any
// CHECK-NEXT:   a: attr scalar int32 value=(x.size(0))
// CHECK-NEXT:   b: attr scalar uint8 value=(2 * a)
// CHECK-NEXT:   c: attr scalar int64 value=(b)
// CHECK-NEXT:   -> ret scalar int32
[[kernix::bind]] int values(const kernix::Tensor x, [[kernix::value("x.size(0)")]] int a,
                            [[kernix::value("2 * a")]] unsigned char b, [[kernix::value("b")]] const long &c) {
  return 0;
}
// CHECK: host optionalInput = optionalInput(const kernix::Tensor x, kernix::Tensor y) [arg ret]
// CHECK-NEXT:   x: arg tensor any optional
// CHECK-NEXT:   y: ret tensor any optional written
// CHECK-NEXT:   -> ret scalar int32
[[kernix::bind]] int optionalInput([[kernix::optional]] const kernix::Tensor x, [[kernix::optional]] kernix::Tensor y) {
  y.data_ptr<float>()[0] = 1;
  return 0;
}
// CHECK: kernel launch = launch(float *y, int n) [ret attr.n:int32] grid=['ceil_div(n, block.x)', '4', 'block.z'] block=['32', 'n', '2'] shared_bytes=block.x * block.y * 4 only-x
// CHECK-NEXT:   y: ret pointer float32 written
// CHECK-NEXT:   n: attr scalar int32
[[kernix::bind, kernix::grid("ceil_div(n, block.x)", 4, "block.z"), kernix::block(32, "n", 2),
  kernix::shared_bytes("block.x * block.y * 4")]] __global__ void
launch(float *y, int n) {
  *y = 1;
}
// CHECK: kernel fromTemplate = fromTemplate<8>(float *y) [ret] block=['8'] shared_bytes=32 only-x
// CHECK-NEXT:   y: ret pointer float32 written
template <int N>
[[kernix::bind, kernix::block(N), kernix::shared_bytes(4 * N)]] __global__ void fromTemplate(float *y) {
  *y = 1;
}
template __global__ void fromTemplate<8>(float *y);
// __launch_bounds__ below the default of 256 threads are the default.
// CHECK: kernel bounds = bounds(float *y) [ret] block=['128'] only-x
// CHECK: kernel wideBounds = wideBounds(float *y) [ret] only-x
// CHECK: kernel blockInBounds = blockInBounds(float *y) [ret] block=['64', '2'] only-x
// CHECK: kernel boundsOfTemplate = boundsOfTemplate<64>(float *y) [ret] block=['64'] only-x
[[kernix::bind]] __global__ __launch_bounds__(128) void bounds(float *y) { *y = 1; }
[[kernix::bind]] __global__ __launch_bounds__(512, 2) void wideBounds(float *y) { *y = 1; }
[[kernix::bind, kernix::block(64, 2)]] __global__ __launch_bounds__(128) void blockInBounds(float *y) { *y = 1; }
template <int N> [[kernix::bind]] __global__ __launch_bounds__(N) void boundsOfTemplate(float *y) { *y = 1; }
template __global__ void boundsOfTemplate<64>(float *y);
