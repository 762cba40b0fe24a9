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
