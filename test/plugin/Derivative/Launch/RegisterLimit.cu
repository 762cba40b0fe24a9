// Threads of a derivative have as many registers as the blocks that the source speaks of have room for.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <kernix/kernix.h>

// CHECK-LABEL: .entry _Z8full_fwd{{[^(]*}}(
// CHECK: .maxnreg 64
// CHECK-LABEL: .entry _Z8full_bwd{{[^(]*}}(
// CHECK: .maxnreg 64
[[kernix::bind, kernix::differentiable, kernix::block(32, 32)]]
__global__ void full(const float *x, float *y) {
  int i = threadIdx.y * 32 + threadIdx.x;
  y[i] = x[i] * x[i];
}

// The number of threads is not one of whole warps.
// CHECK-LABEL: .entry _Z7odd_bwd{{[^(]*}}(
// CHECK: .maxnreg 96
[[kernix::bind, kernix::differentiable(backward), kernix::block(625)]]
__global__ void odd(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}

// There is room for all that a thread can have; the compiler knows already; nobody says how large blocks are.
// CHECK-LABEL: .entry _Z8some_bwd{{[^(]*}}(
// CHECK-NOT: maxnreg
// CHECK-LABEL: .entry _Z9bound_bwd{{[^(]*}}(
// CHECK: .maxntid 1024
// CHECK-NOT: maxnreg
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void some(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}
[[kernix::bind, kernix::differentiable(backward), kernix::block(1024)]]
__global__ void __launch_bounds__(1024) bound(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}

// As many as the source says, unless its blocks have no room for that many, and whatever else the compiler knows.
// CHECK-LABEL: .entry _Z9asked_bwd{{[^(]*}}(
// CHECK: .maxnreg 40
// CHECK-LABEL: .entry _Z8more_bwd{{[^(]*}}(
// CHECK: .maxnreg 64
// CHECK-LABEL: .entry _Z9known_bwd{{[^(]*}}(
// CHECK-DAG: .maxntid 256
// CHECK-DAG: .maxnreg 48
[[kernix::bind, kernix::differentiable(backward), kernix::max_registers(40)]]
__global__ void asked(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}
[[kernix::bind, kernix::differentiable(backward), kernix::block(1024), kernix::max_registers(128)]]
__global__ void more(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}
[[kernix::bind, kernix::differentiable(backward), kernix::max_registers(48)]]
__global__ void __launch_bounds__(256) known(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}
