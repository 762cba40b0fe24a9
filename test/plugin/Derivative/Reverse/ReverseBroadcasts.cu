// Numbers that lanes give to their warp are reversed together.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: %toolkit-device -O0 -S %s -o %t.0.ptx
// RUN: %ptxas -arch=sm_90 %t.0.ptx -o %t.cubin
#include <kernix/kernix.h>

// Eight sums with nine exchanges, and one by which each lane fetches its own; where lanes are missing, one after the
// other.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void eight(const float *x, const float *w, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum += __shfl_sync(~0u, v, k) * w[8 * i + k];
  y[i] = sum;
}
// CHECK-LABEL: .entry _Z9eight_bwd{{.*}}({{$}}
// CHECK: vote.sync.ballot
// CHECK-NOT: vote.sync.ballot
// CHECK: Loop Header
// CHECK-COUNT-8: shfl.sync.idx
// CHECK-NOT: shfl.sync.idx
// CHECK-COUNT-4: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1;
// CHECK-COUNT-2: shfl.sync.bfly.b32 {{.*}}, 2, 31, -1;
// CHECK-COUNT-3: shfl.sync.bfly
// CHECK-NOT: shfl.sync.bfly
// CHECK-COUNT-1: shfl.sync.idx
// CHECK-NOT: shfl
// CHECK: ret;

// Two numbers, each read twice: four sums, and each number's lanes fetch their own.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void two_numbers(const float *x, const float *w, float *y, int lane) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], u = w[i];
  float a = __shfl_sync(~0u, v, lane), b = __shfl_sync(~0u, u, lane);
  float c = __shfl_sync(~0u, v, lane + 1), d = __shfl_sync(~0u, u, lane + 1);
  y[i] = a * b * u + c * d * v;
}
// CHECK-LABEL: .entry _Z15two_numbers_bwd{{.*}}({{$}}
// CHECK-COUNT-6: shfl.sync.bfly
// CHECK-NOT: shfl.sync.bfly
// CHECK-COUNT-2: shfl.sync.idx
// CHECK-NOT: shfl
// CHECK: ret;

// The second number is made of what the first has become: one after the other.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void chain(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  v = v * __shfl_sync(~0u, v, 3);
  v = v * __shfl_sync(~0u, v, 4);
  y[i] = v;
}
// CHECK-LABEL: .entry _Z9chain_bwd{{.*}}({{$}}
// CHECK: vote.sync.ballot
// CHECK: vote.sync.ballot
// CHECK: ret;

// What is differentiated again.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void again(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float v = x[i] * x[i];
  float a = __shfl_sync(~0u, v, 3), b = __shfl_sync(~0u, v, 4), c = __shfl_sync(~0u, v, (lane + 7) % 32);
  y[i] = a * b * c * x[i];
}
// CHECK-LABEL: .entry _Z13again_bwd_bwd{{.*}}({{$}}
// CHECK: shfl
// CHECK: ret;
