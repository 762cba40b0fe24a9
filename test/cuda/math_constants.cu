// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <math_constants.h>

// CHECK: .entry {{.*}}wave
__global__ void wave(float *x, double *y) {
  x[threadIdx.x] = sinf(CUDART_PI_F * x[threadIdx.x]) + CUDART_INF_F;
  y[threadIdx.x] = cos(CUDART_PI * y[threadIdx.x]) + CUDART_NAN;
}
