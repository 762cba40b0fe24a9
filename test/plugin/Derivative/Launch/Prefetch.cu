// What backward kernels read behind barriers is fetched before them.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// Older GPUs do without.
// RUN: %toolkit-device -O3 --no-cuda-gpu-arch=all --cuda-gpu-arch=sm_75 -S %s -o - | FileCheck %s --check-prefix OLDER
// OLDER: .target sm_75
// OLDER-NOT: prefetch
#include <kernix/kernix.h>

// The primal is as it was.
// CHECK-LABEL: .entry _Z7centredPKfPfi(
// CHECK-NOT: prefetch
// CHECK: ret;

// The tensor, its cotangent and the old gradient, at the beginning of each turn of the loop.
[[kernix::bind, kernix::differentiable(backward), kernix::block(128)]]
__global__ void centred(const float *x, float *y, int rows) {
  __shared__ float parts[4];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float v = x[row * 128 + threadIdx.x], sum = v;
    for (int step = 16; step; step /= 2)
      sum += __shfl_xor_sync(~0u, sum, step);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
      parts[threadIdx.x / 32] = sum;
    __syncthreads();
    v -= (parts[0] + parts[1] + parts[2] + parts[3]) / 128;
    y[row * 128 + threadIdx.x] = v * v;
  }
}
// CHECK-LABEL: .entry _Z11centred_bwd{{.*}}({{$}}
// CHECK: Loop Header
// CHECK-COUNT-3: prefetch.global.L2
// CHECK-NOT: prefetch
// CHECK: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1;
// CHECK: ret;

// No barrier: the compiler of the machine code moves loads as it likes. An address that is known behind the barrier
// only, and a read that not every thread comes to, are left alone.
// CHECK-LABEL: .entry _Z10square_bwd{{.*}}({{$}}
// CHECK-NOT: prefetch
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void square(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}
// CHECK-LABEL: .entry _Z9later_bwd{{.*}}({{$}}
// CHECK-NOT: prefetch
[[kernix::bind, kernix::differentiable(backward), kernix::block(128)]]
__global__ void later(const float *x, const int *order, float *y) {
  __shared__ int at[128];
  at[threadIdx.x] = order[threadIdx.x];
  __syncthreads();
  float v = x[at[127 - threadIdx.x]];
  if (threadIdx.x < 64)
    y[threadIdx.x] = v * v;
}
