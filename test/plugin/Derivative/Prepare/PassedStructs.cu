// Small structs that the CPU target passes as integers: their numbers have a derivative, integers beside them none, also
// where an index is computed. The CUDA target passes them in memory.
// RUN: %cpu-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

struct Half {
  float a;
  int k;
};
struct Indexed {
  int k;
  float s[3];
};

// CHECK: define {{.*}}in_registers_bwd
// CHECK: fadd {{.*}}float
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void in_registers(const float *x, [[kernix::diff]] Half h, float *y) {
  y[threadIdx.x] = h.a * x[threadIdx.x] + h.k;
}

// CHECK: define {{.*}}indexed_bwd
// CHECK: fadd {{.*}}float
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void indexed(const float *x, [[kernix::diff]] Indexed o, float *y) {
  y[threadIdx.x] = o.s[threadIdx.x % 3] * x[threadIdx.x] + o.k;
}

// CHECK: define {{.*}}passed_on_bwd
// CHECK: fadd {{.*}}float
// CHECK: ret void
__device__ float of(Half h, float v) { return h.k > 0 ? h.a * v : h.a; }
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void passed_on(const float *x, [[kernix::diff]] Half h, float *y) {
  y[threadIdx.x] = of(h, x[threadIdx.x]) * of(h, 2);
}
