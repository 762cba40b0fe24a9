// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <cuComplex.h>

// CHECK: .entry {{.*}}mandelbrot
__global__ void mandelbrot(const cuFloatComplex *c, float *size) {
  cuFloatComplex z = make_cuFloatComplex(0, 0);
  for (int k = 0; k < 100; ++k)
    z = cuCaddf(cuCmulf(z, z), c[threadIdx.x]);
  size[threadIdx.x] = cuCabsf(cuCdivf(z, make_cuFloatComplex(1, 1)));
}
