// Elements of shared memory that several threads store: one thread takes the adjoint, no matter which.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <kernix/kernix.h>

// All threads store one value.
// CHECK-LABEL: .entry _Z10common_bwd{{[^(]*}}(
// CHECK: atom.shared.add.f32
// CHECK: atom.shared.exch.b32
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void common(const float *x, float *y) {
  __shared__ float mean;
  mean = x[0] * x[1];
  __syncthreads();
  y[threadIdx.x] = mean * x[threadIdx.x];
}

// Each thread its own, and the next one's as well.
// CHECK-LABEL: .entry _Z12overlaps_bwd{{[^(]*}}(
// CHECK-COUNT-2: atom.shared.exch.b32
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void overlaps(const float *x, float *y) {
  __shared__ float row[65];
  int t = threadIdx.x;
  row[t] = x[t];
  row[t + 1] = x[t + 1];
  __syncthreads();
  y[t] = row[64 - t] * x[t];
}

// One thread stores.
// CHECK-LABEL: .entry _Z11guarded_bwd{{[^(]*}}(
// CHECK-NOT: atom.shared.exch
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void guarded(const float *x, float *y) {
  __shared__ float first;
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
    first = x[0] * x[1];
  __syncthreads();
  y[threadIdx.x] = first * x[threadIdx.x];
}

// Each thread its own in a block of one row, which the launch is asked.
// CHECK-LABEL: .entry _Z8turn_bwd{{[^(]*}}(
// CHECK-COUNT-2: atom.shared.exch.b32
// CHECK-NOT: atom.shared.exch
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void turn(const float *x, float *y) {
  __shared__ float row[64], other[64];
  int t = threadIdx.x;
  row[t] = x[t];
  __syncthreads();
  other[63 - t] = row[t] * row[t ^ 1];
  __syncthreads();
  y[t] = other[t] * x[t];
}

// What a store overwrites is found by one thread, too: a flag that several set.
// CHECK-LABEL: .entry _Z11settles_bwd{{[^(]*}}(
// CHECK: atom.shared.exch.b32
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void settles(const float *x, float *y, int n) {
  __shared__ float total;
  float v = x[threadIdx.x];
  for (int k = 0; k < n; ++k) {
    float before = total;
    __syncthreads();
    total = x[k] * x[k + 1] + before;
    __syncthreads();
    v = v * total + before;
    __syncthreads();
  }
  y[threadIdx.x] = v;
}

// Each thread its own in the block that the source says. What is launched may be another one, in which they exchange.
// CHECK-LABEL: .entry _Z12declared_bwd{{[^(]*}}(
// CHECK: atom.shared.exch.b32
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward), kernix::block(64)]]
__global__ void declared(const float *x, float *y) {
  __shared__ float row[64];
  int t = threadIdx.x;
  row[t % 64 ^ 5] = x[t % 64];
  __syncthreads();
  y[t] = row[t % 64] * x[t];
}
