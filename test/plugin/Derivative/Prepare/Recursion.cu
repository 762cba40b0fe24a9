// Recursion that ends at compile time is inlined, level by level.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %cpu-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=REFUSED %s
#include <kernix/kernix.h>

__device__ float powers(float x, int depth) { return depth == 0 ? x : x * powers(x * 0.5f, depth - 1); }

// CHECK-LABEL: define {{.*}}@_Z18five_levels_of_one
// CHECK-LABEL: define {{.*}}@_Z22five_levels_of_one_bwd
// CHECK-NOT: call {{.*}}powers
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void five_levels_of_one(const float *x, float *y) {
  y[threadIdx.x] = powers(x[threadIdx.x], 5);
}

// As deep as it may be.
__device__ float sines(float x, int depth) { return depth ? sinf(sines(x, depth - 1)) : x; }

// CHECK-LABEL: define {{.*}}@_Z11deepest_fwd
// CHECK-NOT: call {{.*}}sines
// CHECK: ret void
// CHECK-LABEL: define {{.*}}@_Z11deepest_bwd
// CHECK-NOT: call {{.*}}sines
// CHECK: ret void
[[kernix::bind, kernix::differentiable]]
__global__ void deepest(const float *x, float *y) {
  y[threadIdx.x] = sines(x[threadIdx.x], 200);
}

#ifdef REFUSED
// REFUSED: Recursion.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'too_deep': it calls itself
__device__ float cosines(float x, int depth) { return depth ? cosf(cosines(x, depth - 1)) : x; }

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void too_deep(const float *x, float *y) {
  y[threadIdx.x] = cosines(x[threadIdx.x], 201);
}

// REFUSED: Recursion.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'any_depth': it calls itself: write the recursion as a loop, or give the depth as a small constant
__device__ float deeper(float x, int depth) { return depth == 0 ? x : x * deeper(x * 0.5f, depth - 1); }

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void any_depth(const float *x, float *y, int n) {
  y[threadIdx.x] = deeper(x[threadIdx.x], n);
}

// REFUSED: Recursion.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'without_end': it calls itself
__device__ float endless(float x, int k) { return k == 0 ? x : endless(x * x, k + 1); }

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void without_end(const float *x, float *y) {
  y[threadIdx.x] = endless(x[threadIdx.x], 1);
}

// REFUSED: Recursion.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'too_wide': it calls itself
__device__ float tree(float x, int k) { return k < 2 ? x : tree(x, k - 1) * tree(x, k - 2); }

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void too_wide(const float *x, float *y) {
  y[threadIdx.x] = tree(x[threadIdx.x], 19);
}
#endif
