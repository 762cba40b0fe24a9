// What all threads of a block give to one element is summed over the block, and added once.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S -fplugin-arg-kernix-Rkernix %s -o %t.ptx 2>%t.txt
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --input-file %t.txt --check-prefix=REMARK
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <kernix/kernix.h>

// CHECK-LABEL: .entry _Z7one_bwd{{[^(]*}}(
// CHECK-NOT: activemask
// CHECK: shfl.sync.down
// CHECK: bar{{.*}}.sync
// CHECK: atom.{{.*}}add.f32
// CHECK-NOT: atom
// CHECK: ret;
// REMARK: gradient of 'w': summed over each block, and added by atomic operations: threads of different threadIdx.x
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void one(const float *x, const float *w, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[0] * (i + 1);
}

// The address depends on the block; it is the same one in all branches, of which each adds to a register.
// CHECK-LABEL: .entry _Z10filter_bwd{{[^(]*}}(
// CHECK-NOT: activemask
// CHECK-COUNT-10: shfl.sync.down
// CHECK-COUNT-10: shfl.sync.down
// CHECK-NOT: shfl
// CHECK-COUNT-2: atom.{{.*}}add.f32
// CHECK-NOT: atom
// CHECK: ret;
// REMARK: gradient of 'w': summed over each block, and added by atomic operations
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void filter(const float *w, float *y, int n, int channels) {
  const float *weights = w + blockIdx.y % channels * 2;
  for (int k = 0; k < 4; ++k) {
    int i = (blockIdx.x * 4 + k) * blockDim.x + threadIdx.x;
    if (i < n)
      y[blockIdx.y * n + i] = i * weights[0] + weights[1];
  }
}

// The second element depends on the thread, the counter's on the iteration: these are sums of warps.
// CHECK-LABEL: .entry _Z10others_bwd{{[^(]*}}(
// CHECK-NOT: kernix_block_sums
// CHECK: activemask
// CHECK: ret;
// REMARK: gradient of 'v': added by atomic operations
// REMARK: gradient of 'w': added by atomic operations
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void others(const float *v, const float *w, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = v[threadIdx.x / 2];
  for (int k = 0; k < m; ++k)
    sum += w[k] * k;
  y[i] = sum;
}

// A division that a guard keeps from dividing by zero stays behind it.
// CHECK-LABEL: .entry _Z11guarded_bwd{{[^(]*}}(
// CHECK-NOT: kernix_block_sums
// CHECK: setp.{{.*}}, 0;
// CHECK: rem.s32
// CHECK: activemask
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void guarded(const float *w, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = m != 0 ? w[int(blockIdx.x) % m] * i : 0;
}

// The source says otherwise.
// CHECK-LABEL: .entry _Z8said_bwd{{[^(]*}}(
// CHECK-NOT: shfl
// CHECK: atom.{{.*}}add.f32
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void said(const float *x, [[kernix::diff(atomic)]] const float *w, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[0] * (i + 1);
}

// Threads that have returned before a barrier are not there for a sum.
// CHECK-LABEL: .entry _Z12returned_bwd{{[^(]*}}(
// CHECK-NOT: kernix_block_sums
// CHECK: activemask
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void returned(const float *x, const float *w, float *y, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  if (t >= n)
    return;
  tile[t] = x[t];
  __syncthreads();
  y[t] = w[0] * tile[n - 1 - t];
}

// Several sums are taken together, where all warps are whole: four are 3 exchanges and 3 more steps for the warps, and
// as many for the first warp, of which four lanes add at once. In other blocks each is summed alone.
// CHECK-LABEL: .entry _Z11several_bwd{{[^(]*}}(
// CHECK-COUNT-20: shfl.sync.down
// CHECK-NOT: atom
// CHECK-COUNT-6: shfl.sync.bfly
// CHECK-NOT: shfl.sync.bfly
// CHECK: bar{{.*}}.sync
// CHECK-COUNT-20: shfl.sync.down
// CHECK-COUNT-4: atom.{{.*}}add.f32
// CHECK-COUNT-6: shfl.sync.bfly
// CHECK: atom.{{.*}}add.f32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void several(const float *w, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = w[0] + i * (w[1] + i * (w[2] + i * w[3]));
}
