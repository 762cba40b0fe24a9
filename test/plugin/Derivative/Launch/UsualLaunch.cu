// A version of backward kernels for the launches that there nearly always are.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o - | FileCheck %s --check-prefix=PTX
// RUN: %toolkit-device -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %toolkit-device -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=SLOW
// SLOW-NOT: usual
#include <kernix/kernix.h>

// Rows of four: joined, since alignment and overlap have been looked at; no question is left in the version, which is
// unrolled. The other version asks them.
// PTX-LABEL: .entry _Z8rows_bwd{{[^(]*}}({{$}}
// PTX: ld.global.v4.b32
// PTX: ld.global.v4.b32
// PTX-NEXT: add.f32
// PTX-NEXT: add.f32
// PTX-NEXT: add.f32
// PTX-NEXT: add.f32
// PTX-NEXT: st.global.v4.b32
// PTX: st.global.b32
// PTX: atom.global.add.f32
// CHECK-LABEL: define {{.*}}@_Z8rows_bwd
// CHECK: and i64 %{{[0-9]+}}, 15
// CHECK: br i1 %{{[0-9]+}}, label %[[USUAL:[0-9]+]], label %{{[0-9]+}}, {{.*}}!prof
// CHECK: [[USUAL]]:
// CHECK: call void @llvm.assume(i1 true) [ "align"(ptr %{{[0-9]+}}, i64 16) ]
// CHECK: load {{.*}} align 16, {{.*}}!alias.scope {{.*}}!noalias
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += x[4 * i + k] * x[4 * i + k] * x[4 * i + k];
  y[i] = sum;
}

// No proof, no question: one version.
// CHECK-LABEL: define {{.*}}@_Z10gather_bwd
// CHECK-NOT: "align"
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void gather(const float *x, const int *k, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[k[i]] * x[k[i]];
}

// One element of each array: one version, with its questions.
// CHECK-LABEL: define {{.*}}@_Z7own_bwd
// CHECK-NOT: "align"
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void own(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}

// Forty times several functions of the library, each of which is long: a loop.
// PTX-LABEL: .entry _Z10powers_bwd{{[^(]*}}({{$}}
// PTX: Loop Header
// PTX: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void powers(const float *x, const float *w, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = x[i];
  for (int t = 0; t < 40; ++t)
    s += powf(fabsf(s) + 1, w[40 * i + t]) * powf(fabsf(s) + 2, w[40 * i + t]);
  y[i] = s;
}
