// Shared memory in backward kernels: barriers are mirrored, tiles are staged again one by one and nothing else is, and
// what has to be undone is known.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <kernix/kernix.h>

// The shadow is cleared; threads without work return before the barrier, as they do in the primal.
// CHECK-LABEL: .entry _Z9stage_bwd{{[^(]*}}(
// CHECK: st.shared.b32 {{.*}}, 0;
// CHECK: bar.sync
// CHECK: ld.global
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: atom.shared.add.f32
// CHECK: atom.shared.add.f32
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK: st.shared.b32 {{.*}}, 0;
// CHECK: atom.global.add.f32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void stage(const float *x, float *y, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  if (t >= n)
    return;
  tile[t] = x[t];
  __syncthreads();
  y[t] = tile[t] * tile[63 - t];
}

// The sum of a block would wait for threads that have returned: a scalar's is of those of a warp that are there.
// CHECK-LABEL: .entry _Z16stage_scaled_bwd{{[^(]*}}(
// CHECK-NOT: kernix_block_sums
// CHECK: activemask.b32
// CHECK-NOT: kernix_block_sums
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void stage_scaled(const float *x, float *y, [[kernix::diff]] float a, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  if (t >= n)
    return;
  tile[t] = x[t];
  __syncthreads();
  y[t] = a * tile[t] * tile[n - 1 - t];
}

// One loop over the tiles, in the order of the source: what is staged is read, and then staged no more.
// CHECK-LABEL: .entry _Z11product_bwd{{[^(]*}}(
// CHECK: bar.sync
// CHECK-NOT: st.shared
// CHECK: bar.sync
// CHECK: st.shared
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: atom.shared.add.f32
// CHECK: bar.sync
// CHECK: st.shared.b32 {{.*}}, 0;
// CHECK: st.shared.b32 {{.*}}, 0;
// CHECK-NOT: st.shared
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float as[8][8], bs[8][8];
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += 8) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int j = 0; j < 8; ++j)
      sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// A sum by halves needs no values: nothing is staged, nothing is kept.
// CHECK-LABEL: .entry _Z10halves_bwd{{[^(]*}}(
// CHECK-NOT: .local
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void halves(const float *x, float *y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int step = 128; step > 0; step >>= 1) {
    if (t < step)
      s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0)
    y[0] = s[0];
}

// A product does.
// CHECK-LABEL: .entry _Z12products_bwd{{[^(]*}}(
// CHECK: .local
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void products(const float *x, float *y, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int step = n; step > 0; step >>= 1) {
    if (t < step)
      s[t] *= s[t + step];
    __syncthreads();
  }
  if (t == 0)
    y[0] = s[0];
}

// The adjoint of an exchange is one; that of a shift is the opposite shift, as far as lanes are there.
// CHECK-LABEL: .entry _Z12exchange_bwd{{[^(]*}}(
// CHECK-NOT: vote
// CHECK: shfl.sync.bfly
// CHECK-NOT: shfl
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void exchange(const float *x, float *y) {
  y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 4);
}
// CHECK-LABEL: .entry _Z9shift_bwd{{[^(]*}}(
// CHECK: vote.sync.ballot
// CHECK: shfl.sync.up
// CHECK-NOT: shfl
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void shift(const float *x, float *y) {
  y[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[threadIdx.x], 4);
}

// Dynamic shared memory has its shadow in the second half.
// CHECK-LABEL: .entry _Z11dynamic_bwd{{[^(]*}}(
// CHECK: %dynamic_smem_size
// CHECK: ret;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void dynamic(const float *x, float *y) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  y[t] = s[blockDim.x - 1 - t];
}
