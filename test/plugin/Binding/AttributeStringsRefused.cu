// Strings of attributes that do not fit their function; the caret stands inside the string.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: :[[#@LINE+1]]:44: error: 'shape' applies to tensors; 'x' has type 'float2'
[[kernix::bind]] int shapeOfScalarStruct([[kernix::shape("3")]] float2 x) { return 0; }
// CHECK: :[[#@LINE+1]]:50: error: the shape of 'x' refers to itself
[[kernix::bind]] int shapeItself([[kernix::shape("x")]] kernix::Tensor x) { return 0; }
// CHECK: :[[#@LINE+1]]:39: error: 'optional' applies to tensors; 'x' has type 'float2'
[[kernix::bind]] int optionalStruct([[kernix::optional]] float2 x) { return 0; }
// CHECK: :[[#@LINE+1]]:42: error: 'x' has a shape and is allocated when it is left out, so that it cannot be optional
[[kernix::bind]] int optionalWithShape([[kernix::optional, kernix::shape("3")]] kernix::Tensor x) { return 0; }
// CHECK: :[[#@LINE+1]]:69: error: the value of 'b' depends on itself through 'a'
[[kernix::bind]] int valueCycle([[kernix::value("b + 1")]] int a, [[kernix::value("a - 1")]] int b) { return 0; }
// CHECK: :[[#@LINE+1]]:36: error: the value of 'a' depends on itself
[[kernix::bind]] int valueItself([[kernix::value("a")]] int a) { return 0; }
// CHECK: :[[#@LINE+1]]:76: error: the value of 'n' depends on itself through 'x'
[[kernix::bind]] int mixedCycle([[kernix::shape("n")]] kernix::Tensor x, [[kernix::value("x.size(0)")]] int n) {
  return 0;
}
// CHECK: :[[#@LINE+1]]:61: error: in 'sise': no parameter is called 'sise'; did you mean 'size'?
[[kernix::bind]] int unknownName(int size, [[kernix::shape("sise")]] kernix::Tensor x) { return 0; }
// CHECK: :[[#@LINE+1]]:61: error: in 'n + "': unexpected '"'
[[kernix::bind]] int escapes(int n, [[kernix::shape("\x6e + \"")]] kernix::Tensor x) { return 0; }
[[kernix::bind]] int concatenated(int n, [[kernix::shape("n + "
// CHECK: :[[#@LINE+1]]:59: error: in 'n + * 2': unexpected '*'
                                                         "* 2")]] kernix::Tensor x) {
  return 0;
}
// CHECK: :[[#@LINE+1]]:61: error: in 'n +': expected an operand
[[kernix::bind]] int rawString(int n, [[kernix::shape(R"(n +)")]] kernix::Tensor x) { return 0; }
// CHECK: :[[#@LINE+1]]:52: error: in 'block.x': 'block' is known only in grid and shared_bytes
[[kernix::bind]] int blockInShape([[kernix::shape("block.x")]] kernix::Tensor x) { return 0; }
// CHECK: :[[#@LINE+1]]:32: error: in 'block.x': 'block' is known only in grid and shared_bytes
[[kernix::bind, kernix::block("block.x")]] __global__ void blockInBlock(float *y) { *y = 1; }
// CHECK: :[[#@LINE+1]]:40: error: in 'n +': expected an operand
[[kernix::bind, kernix::grid(1, 2, "n +")]] __global__ void grid(float *y, int n) { *y = 1; }
// CHECK: :[[#@LINE+1]]:39: error: in 'y': 'y' is a tensor; write y.size(k), y.rank() or y.numel()
[[kernix::bind, kernix::shared_bytes("y")]] __global__ void sharedBytes(float *y) { *y = 1; }
// CHECK: :[[#@LINE+1]]:48: error: 'kernix::block' needs an integer of at least 1, not 0
template <int N> [[kernix::bind, kernix::block(N)]] __global__ void blockOfTemplate(float *y) { *y = 1; }
template __global__ void blockOfTemplate<0>(float *y);
// CHECK: :[[#@LINE+1]]:56: error: 'max(1, 2) - 3' is -1, and cannot be less than 0
[[kernix::bind]] int negativeAxis([[kernix::shape("4", "max(1, 2) - 3")]] kernix::Tensor x) { return 0; }
// CHECK: :[[#@LINE+1]]:30: error: '0' is 0, and cannot be less than 1
[[kernix::bind, kernix::grid("0")]] __global__ void emptyGrid(float *y) { *y = 1; }
// CHECK: :[[#@LINE+1]]:38: error: '-1' is -1, and cannot be less than 0
[[kernix::bind, kernix::shared_bytes("-1")]] __global__ void negativeBytes(float *y) { *y = 1; }
// CHECK: :[[#@LINE+1]]:31: error: a block has at most 1024 threads, and at most 64 in z
[[kernix::bind, kernix::block("32 * 33")]] __global__ void largeBlock(float *y) { *y = 1; }
// CHECK: :[[#@LINE+1]]:39: error: a block has at most 1024 threads, and at most 64 in z
[[kernix::bind, kernix::block("n", 1, "65")]] __global__ void deepBlock(float *y, int n) { *y = 1; }
// CHECK: :[[#@LINE+1]]:51: error: a block has at most 1024 threads, and at most 64 in z
template <int N> [[kernix::bind, kernix::block(N, N)]] __global__ void largeBlockOfTemplate(float *y) { *y = 1; }
template __global__ void largeBlockOfTemplate<33>(float *y);
// CHECK: :[[#@LINE+2]]:17: error: a block of 256 threads is more than the __launch_bounds__ of 'bounds', 128
// CHECK: :[[#@LINE+1]]:51: note: given here
[[kernix::bind, kernix::block(64, 4)]] __global__ __launch_bounds__(128) void bounds(float *y) { *y = 1; }
