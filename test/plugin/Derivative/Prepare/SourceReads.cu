// Gradients that are assigned have a value wherever the source reads the element, also where nothing comes of it.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not=kernix.read
#include <cuda_fp16.h>
#include <kernix/kernix.h>

// CHECK-LABEL: define {{.*}}@_Z10unused_bwd
// CHECK: store float 0.000000e+00
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void unused([[kernix::diff(once)]] const float *x, const float *c, float *y) {
  int i = threadIdx.x;
  [[maybe_unused]] float v = x[i];
  y[i] = c[i];
}

// Both are stored: what is behind the condition is no reason to wait.
// CHECK-LABEL: define {{.*}}@_Z13in_branch_bwd
// CHECK: [[GRADIENT:%[0-9]+]] = phi float [ {{.*}}0.000000e+00
// CHECK: [[ASSIGNED:%[0-9]+]] = fadd float [[GRADIENT]], 0.000000e+00
// CHECK: store float [[ASSIGNED]]
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void in_branch([[kernix::diff(once)]] const float *x, const int *c, float *y) {
  int i = threadIdx.x;
  float v = x[i];
  y[i] = 0;
  if (c[i])
    y[i] = v * v;
}

// A copy reads all of its numbers.
// CHECK-LABEL: define {{.*}}@_Z10vector_bwd
// CHECK-COUNT-3: store float 0.000000e+00
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void vector([[kernix::diff(once)]] const float4 *x, float *y) {
  int i = threadIdx.x;
  float4 v = x[i];
  y[i] = v.z;
}

// Where a copy is taken apart, or nothing of it is left, its numbers are read as such.
// CHECK-LABEL: define {{.*}}@_Z10halves_bwd
// CHECK-COUNT-2: store half
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void halves([[kernix::diff(once)]] const __half2 *x, float *y) {
  int i = threadIdx.x;
  float2 v = __half22float2(x[i]);
  y[i] = v.x * v.y;
}

// A copy of computed length stays one, though nobody asks for what it has written.
// CHECK-LABEL: define {{.*}}@_Z10length_bwd
// CHECK: store float 0.000000e+00
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void length([[kernix::diff(once)]] const float *x, const float *c, float *y, unsigned n) {
  int i = threadIdx.x;
  float row[8];
  memcpy(row, x + 8 * i, n * sizeof(float));
  y[i] = c[i];
}

// What only a branch reads is assigned there, and what is not assigned needs no mark.
// CHECK-LABEL: define {{.*}}@_Z14read_there_bwd
// CHECK-NOT: store float 0.000000e+00
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void read_there([[kernix::diff(once)]] const float *x, const float *w, const int *c, float *y) {
  int i = threadIdx.x;
  float v = w[i];
  y[i] = v;
  if (c[i])
    y[i] = v * x[i];
}
