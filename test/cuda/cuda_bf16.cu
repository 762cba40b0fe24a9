// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <cuda_bf16.h>

// CHECK: .entry {{.*}}bfloats
// CHECK: fma.rn.bf16x2
__global__ void bfloats(__nv_bfloat16 *x, __nv_bfloat162 *y, float *z) {
  int i = threadIdx.x;
  x[i] = x[i] * __nv_bfloat16(2.0f) + hexp(x[i + 1]) - __float2bfloat16(z[i]);
  y[i] = __hfma2(y[i], y[i + 1], __halves2bfloat162(x[i], x[i]));
  z[i] = __bfloat162float(__hmax(x[i], __shfl_down_sync(0xffffffffu, x[i], 1)));
  atomicAdd(y, y[i]);
}
