// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_80.ptx %s
#include <cooperative_groups.h>
#include <cuda/pipeline>

// CHECK: .entry {{.*}}staged
// CHECK: cp.async
__global__ void staged(const float4 *x, float4 *y, int tiles) {
  __shared__ float4 buffer[2][128];
  auto pipe = cuda::make_pipeline();
  for (int tile = 0; tile < tiles; ++tile) {
    pipe.producer_acquire();
    cuda::memcpy_async(&buffer[tile % 2][threadIdx.x], &x[tile * 128 + threadIdx.x],
                       cuda::aligned_size_t<16>(sizeof(float4)), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    y[tile * 128 + threadIdx.x] = buffer[tile % 2][threadIdx.x];
    pipe.consumer_release();
  }
}
