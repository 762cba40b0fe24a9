// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <cuda_pipeline.h>

// CHECK: .entry {{.*}}staged
// CHECK: cp.async
__global__ void staged(const float4 *x, float4 *y) {
  __shared__ float4 buffer[128];
  __pipeline_memcpy_async(&buffer[threadIdx.x], &x[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[threadIdx.x] = buffer[127 - threadIdx.x];
}
