// Expressions of f mean the same parameters in f_bwd, where these have other places.
// RUN: %cuda-host -S -emit-llvm -o - %s | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(backward), kernix::grid("n")]] __global__ void
sized(const float *x, [[kernix::shape("x.size(0)")]] float *y, int n) {
  if (threadIdx.x < n)
    y[threadIdx.x] = x[threadIdx.x];
}

// f: the scalar 2, and the size of 0. f_bwd: the scalar 4.
// CHECK-DAG: @__kernix_grid_x_{{.*}} { i32 1, i32 2, i64 0 }
// CHECK-DAG: @__kernix_p1_axis0_{{.*}} { i32 2, i32 0, i64 0 }
// CHECK-DAG: @__kernix_grid_x_{{.*}} { i32 1, i32 4, i64 0 }
// CHECK-DAG: @__kernix_p2_axis0_{{.*}} { i32 2, i32 0, i64 0 }
