// Of kernels without loops that only have sums which all blocks share, a few blocks do the work of all.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: %toolkit-device -O0 -S %s -o %t.0.ptx
// RUN: %ptxas -arch=sm_90 %t.0.ptx -o %t.cubin
#include <kernix/kernix.h>

// The loop holds no sum over the block, no atomic addition and no question, and asks once whether there is an element.
// CHECK-LABEL: .entry _Z10scaled_bwd{{[^(]*}}(
// CHECK: %nsmid
// CHECK: %ctaid.x
// CHECK: Loop Header
// CHECK-NOT: shfl
// CHECK-NOT: atom
// CHECK-COUNT-1: setp.lt.s32
// CHECK-NOT: setp.lt.s32
// CHECK: st.global.b32
// CHECK: shfl.sync.down
// CHECK: bar{{.*}}.sync
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void scaled(const float *x, float *y, [[kernix::diff]] float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] * x[i];
}

// Rows and columns: the id along x changes.
// CHECK-LABEL: .entry _Z9plane_bwd{{[^(]*}}(
// CHECK: %nsmid
// CHECK: Loop Header
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void plane(const float *x, const float *w, float *y, int height, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < width && j < height)
    y[j * width + i] = w[0] * x[j * width + i] + w[1];
}

// No sum; a sum for each row of the grid; a loop; a barrier; a warp function.
// CHECK-LABEL: .entry _Z8none_bwd{{[^(]*}}(
// CHECK-NOT: %nsmid
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void none(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = sinf(x[i]);
}
// CHECK-LABEL: .entry _Z8bias_bwd{{[^(]*}}(
// CHECK-NOT: %nsmid
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void bias(const float *b, float *y, int n, [[kernix::diff]] float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[blockIdx.y * n + i] = a * b[blockIdx.y];
}
// CHECK-LABEL: .entry _Z8loop_bwd{{[^(]*}}(
// CHECK-NOT: %nsmid
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void loop(const float *x, float *y, [[kernix::diff]] float a, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < m; ++k)
    sum += a * x[k * n + i];
  y[i] = sum;
}
// CHECK-LABEL: .entry _Z11barrier_bwd{{[^(]*}}(
// CHECK-NOT: %nsmid
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void barrier(const float *x, float *y, [[kernix::diff]] float a) {
  __shared__ float tile[256];
  tile[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = a * tile[255 - threadIdx.x];
}
// CHECK-LABEL: .entry _Z8lane_bwd{{[^(]*}}(
// CHECK-NOT: %nsmid
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void lane(const float *x, float *y, [[kernix::diff]] float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = a * __shfl_xor_sync(0xffffffffu, x[i], 1);
}
