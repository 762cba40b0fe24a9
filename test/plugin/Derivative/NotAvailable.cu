// A differentiable function reaches the IR half through its annotation, in the pass that has the body, and is refused
// there with its place.
// RUN: not %cpu-device -c %s -o %t 2>&1 | FileCheck %s
// RUN: not %cpu-device -O0 -c %s -o %t 2>&1 | FileCheck %s
// RUN: not %cpu-device -O3 -g -c %s -o %t 2>&1 | FileCheck %s
// RUN: not %cpu-device -flto=thin -c %s -o %t 2>&1 | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: NotAvailable.cu:[[#@LINE+1]]:3: error: derivatives are not available yet: remove {{\[\[}}kernix::differentiable]]
[[kernix::bind, kernix::differentiable]] __global__ void kernel(const float *x, float *y) { y[0] = x[0]; }
// CHECK: NotAvailable.cu:[[#@LINE+2]]:3: error: derivatives are not available yet
template <class T>
[[kernix::bind, kernix::differentiable(backward)]] static __device__ T device(T x) {
  return x * x;
}
template __device__ float device(float);
