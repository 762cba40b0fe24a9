// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <cuda_fp8.h>

// CHECK: .entry {{.*}}quantise
// CHECK: cvt.rn.satfinite.e4m3x2
__global__ void quantise(const float *x, __nv_fp8_e4m3 *y, __nv_fp8_e5m2 *z, float *back) {
  int i = threadIdx.x;
  y[i] = __nv_fp8_e4m3(x[i]);
  z[i] = __nv_fp8_e5m2(x[i]);
  back[i] = static_cast<float>(y[i]) + static_cast<float>(z[i]);
}
