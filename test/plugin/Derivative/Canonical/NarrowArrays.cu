// Arrays of CUDA's 16-bit numbers, whose members are integers there, hold numbers with derivatives.
// REQUIRES: cuda
// RUN: %cpu-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %toolkit-device -O2 -S -emit-llvm %s -o - | FileCheck %s
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

// CHECK-DAG: define {{.*}}half_tile_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void half_tile(const __half *x, __half *y) {
  __shared__ __half tile[32];
  tile[threadIdx.x] = x[I];
  __syncthreads();
  y[I] = tile[31 - threadIdx.x] * tile[threadIdx.x];
}

// CHECK-DAG: define {{.*}}bfloat16_tile_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void bfloat16_tile(const __nv_bfloat16 *x, __nv_bfloat16 *y) {
  __shared__ __nv_bfloat16 tile[32];
  tile[threadIdx.x] = x[I];
  __syncthreads();
  y[I] = tile[31 - threadIdx.x] * tile[threadIdx.x];
}

// CHECK-DAG: define {{.*}}own_array_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void own_array(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n) {
  if (I >= n)
    return;
  __nv_bfloat16 own[4];
  for (int k = 0; k < 4; ++k)
    own[k] = x[I] * x[k];
  y[I] = own[I % 4];
}
