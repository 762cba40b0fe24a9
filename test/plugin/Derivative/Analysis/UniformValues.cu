// What the threads of a block have in common: additions to one element are summed first.
// REQUIRES: cuda
// RUN: %toolkit-device -O2 -S %s -o - | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void chosen(const float *w, const float *x, float *y, int kind) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int place = kind > 0 ? 1 : 2;
  y[i] = w[place] * x[i];
}
// CHECK-LABEL: .entry _Z10chosen_bwd{{.*}}({{$}}
// CHECK: shfl.sync
// CHECK: ret;

// The branch that chooses also decides, by way of another, whether a thread comes here at all.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void chosenByThread(const float *w, const float *x, const int *kind, const int *skip, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int place = 2;
  if (kind[i] > 0) {
    if (skip[i])
      return;
    place = 1;
  }
  y[i] = w[place] * x[i];
}
// CHECK-LABEL: .entry _Z18chosenByThread_bwd{{.*}}({{$}}
// CHECK-NOT: shfl
// CHECK: ret;
