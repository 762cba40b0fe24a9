// Stores of a thread in loops that go to different elements are no error.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// The extent of the grid is a step that never changes, though nothing is moved over a barrier.
// CHECK-LABEL: define {{.*}}@_Z12rows_in_turn
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_in_turn(const float *x, float *y, int rows) {
  __shared__ float s[256];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float v = x[row * 256 + threadIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    y[row * 256 + threadIdx.x] = v * s[255 - threadIdx.x];
    __syncthreads();
  }
}

// CHECK-LABEL: define {{.*}}@_Z12sixteen_rows
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void sixteen_rows(const float *x, float *y, int rows) {
  __shared__ float s[256];
  for (int k = 0; k < 16; ++k) {
    int row = blockIdx.x * 16 + k;
    if (row >= rows)
      break;
    float v = x[row * 256 + threadIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    y[row * 256 + threadIdx.x] = v * s[255 - threadIdx.x];
    __syncthreads();
  }
}
