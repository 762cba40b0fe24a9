// Shuffles that a warp does not read one lane by.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: %toolkit-device -O0 -S %s -o %t.0.ptx
// RUN: %ptxas -arch=sm_90 %t.0.ptx -o %t.cubin
#include <kernix/kernix.h>

// Eight lanes: by halves, or one after the other where some are missing.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void part(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __shfl_sync(~0u, x[i], 3, 8);
}
// CHECK-LABEL: .entry _Z8part_bwd{{.*}}({{$}}
// CHECK-COUNT-3: shfl.sync.bfly
// CHECK-NOT: shfl.sync.bfly
// CHECK: ret;

// Lanes change places: who has read this lane is found by the bits of what was read, and asked in turn.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void turned(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  y[i] = __shfl_sync(~0u, x[i], (lane + 7) % 32);
}
// CHECK-LABEL: .entry _Z10turned_bwd{{.*}}({{$}}
// CHECK-COUNT-6: vote.sync.ballot
// CHECK-NOT: vote.sync.ballot
// CHECK: Loop Header
// CHECK: vote.sync.any
// CHECK: shfl.sync.idx
// CHECK-NOT: shfl
// CHECK: bra.uni

// What a lane gives that is not there is left out.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void exchanged(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned mask = __ballot_sync(~0u, i < n);
  if (i >= n)
    return;
  float other = __shfl_xor_sync(mask, x[i], 1);
  y[i] = (mask >> (lane ^ 1)) & 1 ? x[i] * other : x[i];
}
// CHECK-LABEL: .entry _Z13exchanged_bwd{{.*}}({{$}}
// CHECK: shfl.sync.bfly.b32 [[OTHER:%r[0-9]+]], {{.*}}, 1, 31, {{%r[0-9]+}};
// CHECK: shfl.sync.bfly.b32 [[GIVEN:%r[0-9]+]], {{.*}}, 1, 31, [[MASK:%r[0-9]+]];
// CHECK: vote.sync.ballot.b32 {{.*}}, [[MASK]];
// CHECK: selp{{.*}} [[GIVEN]]
// CHECK: ret;

// In blocks of whole warps all are there.
[[kernix::bind, kernix::differentiable(backward), kernix::block(64)]]
__global__ void whole(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * __shfl_xor_sync(~0u, x[i], 1);
}
// CHECK-LABEL: .entry _Z9whole_bwd{{.*}}({{$}}
// CHECK-COUNT-2: shfl.sync.bfly
// CHECK-NOT: vote
// CHECK: ret;
