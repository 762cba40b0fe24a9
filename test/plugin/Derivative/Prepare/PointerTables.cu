// A table of __shared__ arrays: neither a constant that ptxas refuses, nor pointers that lead nobody knows where.
// REQUIRES: cuda
// RUN: %toolkit-device -O0 -S %s -o %t.0.ptx
// RUN: %ptxas -arch=sm_90 %t.0.ptx -o %t.cubin
// RUN: %toolkit-device -O3 -S %s -o %t.3.ptx
// RUN: %ptxas -arch=sm_90 %t.3.ptx -o %t.cubin
// RUN: FileCheck %s --input-file=%t.3.ptx
// RUN: %cpu-device -O2 -S -emit-llvm %s -o /dev/null
#include <kernix/kernix.h>

// CHECK: .visible .entry _Z4onlyPKfPfi(
__global__ void only(const float *x, float *y, int n) {
  __shared__ float a[32], b[33];
  float *tables[2] = {a, b + 1};
  for (int k = 0; k < n; ++k) {
    tables[k & 1][threadIdx.x] = x[k * 32 + threadIdx.x];
    __syncthreads();
    y[k * 32 + threadIdx.x] = tables[k & 1][31 - threadIdx.x];
  }
}

// CHECK: .visible .entry {{.*}}in_turn_bwd
[[kernix::bind, kernix::differentiable(backward)]] __global__ void in_turn(const float *x, float *y, int n) {
  __shared__ float a[32], b[32];
  float *buffers[] = {a, b};
  a[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    buffers[(k + 1) & 1][threadIdx.x] = buffers[k & 1][31 - threadIdx.x] * x[threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = buffers[n & 1][threadIdx.x];
}
