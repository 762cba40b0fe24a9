// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <curand_kernel.h>

// CHECK: .entry {{.*}}noise
__global__ void noise(float *x, unsigned long long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(seed, i, 0, &state);
  float4 normal = curand_normal4(&state);
  x[i] = normal.x + curand_uniform(&state);
}
