// A local variable of floats that is only used as halves is one of halves.
// REQUIRES: cuda
// RUN: %cpu-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %toolkit-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %toolkit-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=REFUSED --implicit-check-not=error: %s
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

#ifndef REFUSED
// CHECK-LABEL: define {{.*}}eight_bwd
// CHECK: fmul {{.*}}half
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void eight(const __half *x, __half *y) {
  float4 words = reinterpret_cast<const float4 *>(x)[I];
  auto *pairs = reinterpret_cast<__half2 *>(&words);
  for (int k = 0; k < 4; ++k)
    pairs[k] = __hmul2(pairs[k], pairs[k]);
  reinterpret_cast<float4 *>(y)[I] = words;
}
#else
// As both.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void both(const __half *x, int k, float *y) {
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'both': the same bytes are used as numbers of another type
  float4 words = reinterpret_cast<const float4 *>(x)[I];
  auto *halves = reinterpret_cast<__half *>(&words);
  auto *floats = reinterpret_cast<float *>(&words);
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'both': the same bytes are used as numbers of another type
  y[I] = __half2float(halves[k]) * floats[k];
}
#endif
