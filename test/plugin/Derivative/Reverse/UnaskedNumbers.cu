// What lanes give behind branches only is not set where they go past these: it is read where a flag says so.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// Both numbers of a pair, for lanes that wait for others to come to their last iteration.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void seldom(const float *x, const float *w, float *y, int n) {
  __shared__ float2 staged[256];
  staged[threadIdx.x] = make_float2(w[threadIdx.x], w[threadIdx.x + 256]);
  __syncthreads();
  float v = x[threadIdx.x];
  for (int k = 0; k < n; ++k) {
    float2 s = staged[k];
    float d = s.x * s.y - v;
    if (d < 0.5f)
      continue;
    v += v * d;
    if (v > 3)
      break;
  }
  y[threadIdx.x] = v;
}
// CHECK-LABEL: define {{.*}}@_Z10seldom_bwd
// CHECK: phi float {{.*}}[ poison, %[[WAITS:[0-9]+]] ]
// CHECK-NEXT: %[[GIVES:[0-9]+]] = phi i1 {{.*}}[ false, %[[WAITS]] ]
// CHECK-NEXT: phi float {{.*}}[ poison, %[[WAITS]] ]
// CHECK-NEXT: @llvm.nvvm.vote.any.sync(i32 -1, i1 %[[GIVES]])
// CHECK: select {{.*}}i1 %[[GIVES]], float %{{[0-9]+}}, float -0.000000e+00
// CHECK: select {{.*}}i1 %[[GIVES]], float %{{[0-9]+}}, float -0.000000e+00
