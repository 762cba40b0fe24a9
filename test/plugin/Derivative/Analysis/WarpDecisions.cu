// A loop whose lanes leave it by a sum over all of them: the first one decides, in the backward kernel too.
// REQUIRES: cuda
// RUN: %toolkit-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %cpu-device -O2 -S -o /dev/null -DREFUSED %s 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
// RUN: not %toolkit-device -O2 -S -o /dev/null -DREFUSED %s 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)
#define KERNEL [[kernix::bind, kernix::differentiable(backward)]] __global__ void
#define ALL 0xffffffffu

#ifndef REFUSED
// CHECK-LABEL: define {{.*}}@_Z14sum_of_all_bwd
// CHECK: [[LEAVES:%.*]] = fcmp contract {{olt|uge}} float {{%.*}}, 5.000000e-01
// CHECK: [[OWN:%.*]] = zext i1 [[LEAVES]] to i32
// CHECK: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 [[OWN]], i32 0, i32 31)
// CHECK: ret void
KERNEL sum_of_all(const float *x, float *y) {
  float v = x[I];
  for (int k = 0; k < 30; ++k) {
    float sum = v * v;
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_xor_sync(ALL, sum, step);
    if (sum < 0.5f)
      break;
    v = v - v * sum * 0.01f;
  }
  y[I] = v;
}

// A vote is the same for all by itself.
// CHECK-LABEL: define {{.*}}@_Z15vote_of_all_bwd
// CHECK-NOT: shfl.sync.idx
// CHECK: ret void
KERNEL vote_of_all(const float *x, float *y) {
  float v = x[I];
  for (int k = 0; k < 30; ++k) {
    if (__all_sync(ALL, v < 0.5f))
      break;
    v = v - __shfl_xor_sync(ALL, v, 1) * 0.01f;
  }
  y[I] = v;
}
#else
// Sums of some of the lanes.
KERNEL sum_of_half(const float *x, float *y) {
  float v = x[I];
  for (int k = 0; k < 30; ++k) {
    float sum = v * v;
    for (int step = 8; step > 0; step /= 2)
      // REFUSED: :[[@LINE+1]]:14: error: cannot differentiate 'sum_of_half': the lanes of a warp may come to this warp function on different ways
      sum += __shfl_xor_sync(ALL, sum, step);
    if (sum < 0.5f)
      break;
    v = v - v * sum * 0.01f;
  }
  y[I] = v;
}

// What the first lane has is no sum in the others.
KERNEL sum_of_those_above(const float *x, float *y) {
  float v = x[I];
  for (int k = 0; k < 30; ++k) {
    float sum = v * v;
    for (int step = 16; step > 0; step /= 2)
      // REFUSED: :[[@LINE+1]]:14: error: cannot differentiate 'sum_of_those_above': the lanes of a warp may come to this warp function on different ways
      sum += __shfl_down_sync(ALL, sum, step);
    if (sum < 0.5f)
      break;
    v = v - v * sum * 0.01f;
  }
  y[I] = v;
}

// Not the same for the operands of a difference.
KERNEL difference_of_all(const float *x, float *y) {
  float v = x[I];
  for (int k = 0; k < 30; ++k) {
    float sum = v * v;
    for (int step = 16; step > 0; step /= 2)
      // REFUSED: :[[@LINE+1]]:19: error: cannot differentiate 'difference_of_all': the lanes of a warp may come to this warp function on different ways
      sum = sum - __shfl_xor_sync(ALL, sum, step);
    if (sum < 0.5f)
      break;
    v = v - v * sum * 0.01f;
  }
  y[I] = v;
}

// The same distance twice, and a mixture with what each lane has.
KERNEL distance_twice(const float *x, float *y) {
  float v = x[I];
  for (int k = 0; k < 30; ++k) {
    float sum = v * v;
    for (int step : {16, 8, 4, 2, 24})
      // REFUSED: :[[@LINE+1]]:14: error: cannot differentiate 'distance_twice': the lanes of a warp may come to this warp function on different ways
      sum += __shfl_xor_sync(ALL, sum, step);
    if (sum < 0.5f)
      break;
    v = v - v * sum * 0.01f;
  }
  y[I] = v;
}
KERNEL compared_with_own(const float *x, float *y) {
  float v = x[I];
  for (int k = 0; k < 30; ++k) {
    float sum = v * v;
    for (int step = 16; step > 0; step /= 2)
      // REFUSED: :[[@LINE+1]]:14: error: cannot differentiate 'compared_with_own': the lanes of a warp may come to this warp function on different ways
      sum += __shfl_xor_sync(ALL, sum, step);
    if (sum < v)
      break;
    v = v - v * sum * 0.01f;
  }
  y[I] = v;
}

// The lanes come to the sum on different ways.
KERNEL within_a_branch(const float *x, float *y) {
  float v = x[I];
  for (int k = 0; k < 30; ++k) {
    float sum = v * v;
    if (x[I + 1] > 0) {
      for (int step = 16; step > 0; step /= 2)
        // REFUSED: :[[@LINE+1]]:16: error: cannot differentiate 'within_a_branch': the lanes of a warp may come to this warp function on different ways
        sum += __shfl_xor_sync(ALL, sum, step);
      if (sum < 0.5f)
        break;
    }
    v = v - v * sum * 0.01f;
  }
  y[I] = v;
}
#endif
