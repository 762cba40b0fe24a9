// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_80.ptx %s
#include <cuda_fp16.h>

// CHECK: .entry {{.*}}halves
// CHECK: fma.rn.f16x2
__global__ void halves(half *x, half2 *y, float *z) {
  int i = threadIdx.x;
  x[i] = x[i] * half(2.0f) + hexp(x[i + 1]) - __float2half(z[i]);
  y[i] = __hfma2(y[i], y[i + 1], __halves2half2(x[i], x[i]));
  if (__hgt(x[i], x[0]))
    z[i] = __half2float(__hmax(x[i], __shfl_down_sync(0xffffffffu, x[i], 1)));
  atomicAdd(y, y[i]);
}
