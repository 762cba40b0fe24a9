// What the threads of a warp give to one element of a tile is summed by shuffles at the end of each reversed iteration.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S -fplugin-arg-kernix-Rkernix %s -o %t.ptx 2>%t.txt
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --input-file %t.txt --check-prefix=REMARK
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <kernix/kernix.h>

// All threads come to three loads in each iteration: two sums exchanged and one alone, which is one addition of three
// lanes. In the version for other launches, of blocks with half a warp, each thread adds three times.
// REMARK: gradients of shared memory: what 3 loads give is summed over the lanes of a warp in each iteration [-Rkernix]
// CHECK-LABEL: .entry _Z7all_bwd{{[^(]*}}(
// CHECK-NOT: vote
// CHECK-COUNT-10: shfl.sync.bfly
// CHECK-NOT: shfl
// CHECK: atom.shared.add.f32
// CHECK-NOT: shfl
// CHECK-COUNT-3: atom.shared.add.f32
// CHECK-COUNT-10: shfl.sync.bfly
// CHECK-NOT: shfl
// CHECK: atom.shared.add.f32
// CHECK-NOT: match
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void all(const float *x, const float *w, float *y, int n) {
  __shared__ float staged[40][3];
  for (int k = threadIdx.x; k < 120; k += blockDim.x)
    staged[k / 3][k % 3] = w[k];
  __syncthreads();
  float v = x[threadIdx.x], sum = 0;
  for (int k = 0; k < n; ++k)
    sum += staged[k][0] * v + staged[k][1] * v * v + staged[k][2];
  y[threadIdx.x] = sum;
}

// Threads that leave the loop early wait for the others; where nobody gives anything, nothing is summed.
// REMARK: gradients of shared memory: what 1 loads give is summed over the lanes of a warp in each iteration, which they go through in step [-Rkernix]
// CHECK-LABEL: .entry _Z8step_bwd{{[^(]*}}(
// CHECK: redux.sync.max.u32
// CHECK: vote.sync.any
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK-NOT: {{shfl|match}}
// CHECK: atom.shared.add.f32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void step(const float *x, const float *w, float *y, int n) {
  __shared__ float staged[256];
  staged[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  float v = x[threadIdx.x];
  for (int k = 0; k < n; ++k) {
    v += v * staged[k];
    if (v > 3)
      break;
  }
  y[threadIdx.x] = v;
}

// What is given behind a branch only: whether anything was is known from the way, and not asked of the numbers.
// REMARK: gradients of shared memory: what 2 loads give is summed over the lanes of a warp in each iteration [-Rkernix]
// CHECK-LABEL: .entry _Z10behind_bwd{{[^(]*}}(
// CHECK-NOT: setp.neu.f32
// CHECK: vote.sync.any
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK-NOT: {{shfl|match}}
// CHECK: setp.neu.f32
// CHECK: atom.shared.add.f32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void behind(const float *x, const float *w, float *y, int n) {
  __shared__ float staged[256], scale[256];
  staged[threadIdx.x] = w[threadIdx.x];
  scale[threadIdx.x] = w[threadIdx.x + 256];
  __syncthreads();
  float v = x[threadIdx.x], sum = 0;
  for (int k = 0; k < n; ++k) {
    float d = staged[k] - v;
    if (d < 0.5f)
      continue;
    sum += d * scale[k];
  }
  y[threadIdx.x] = sum;
}

// Lanes with one threadIdx.y.
// CHECK-LABEL: .entry _Z8rows_bwd{{[^(]*}}(
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK: atom.shared.add.f32
// CHECK-NOT: match
// REMARK: gradients of shared memory: what 1 loads give is summed over the lanes of a warp in each iteration [-Rkernix]
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows(const float *x, const float *w, float *y, int n) {
  __shared__ float staged[64][16];
  for (int k = threadIdx.x; k < 64; k += blockDim.x)
    staged[k][threadIdx.y] = w[k * 16 + threadIdx.y];
  __syncthreads();
  int own = threadIdx.y * blockDim.x + threadIdx.x;
  float v = x[own], sum = 0;
  for (int k = 0; k < n; ++k)
    sum += staged[k][threadIdx.y] * v;
  y[own] = sum;
}

// A row that is a whole warp, if the launch has the size that the source says: its width is asked for.
// CHECK-LABEL: .entry _Z8wide_bwd{{[^(]*}}(
// CHECK: mov.u32 %[[WIDTH:r[0-9]+]], %ntid.x;
// CHECK: setp.{{eq|ne}}.b32 %p{{[0-9]+}}, %[[WIDTH]], 32;
// CHECK-COUNT-5: shfl.sync.bfly
[[kernix::bind, kernix::differentiable(backward), kernix::block(32, 4)]]
__global__ void wide(const float *x, const float *w, float *y, int n) {
  __shared__ float staged[64][16];
  for (int k = threadIdx.x; k < 64; k += blockDim.x)
    staged[k][threadIdx.y] = w[k * 16 + threadIdx.y];
  __syncthreads();
  int own = threadIdx.y * blockDim.x + threadIdx.x;
  float v = x[own], sum = 0;
  for (int k = 0; k < n; ++k)
    sum += staged[k][threadIdx.y] * v;
  y[own] = sum;
}

// A block whose size is known: 16 lanes for each element of one tile, two for each of the other. The version for other
// launches adds atomically.
// REMARK: gradients of shared memory: what 4 loads give is summed over the lanes of a warp in each iteration [-Rkernix]
// CHECK-LABEL: .entry _Z11product_bwd{{[^(]*}}(
// CHECK: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1;
// CHECK-NEXT: add.f32
// CHECK: shfl.sync.bfly.b32 {{.*}}, 2, 31, -1;
// CHECK: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1;
// CHECK: shfl.sync.bfly.b32 {{.*}}, 8, 31, -1;
// CHECK-NOT: 16, 31, -1;
// CHECK: atom.shared.add.f32
// CHECK-NOT: shfl
// CHECK: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1;
// CHECK-NOT: {{shfl|match}}
// CHECK: atom.shared.add.f32
[[kernix::bind, kernix::differentiable(backward), kernix::block(16, 16)]]
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float as[64][32], bs[64][32];
  for (int k = threadIdx.y; k < n; k += 16)
    for (int e = threadIdx.x; e < 32; e += 16)
      as[k][e] = a[32 * k + e], bs[k][e] = b[32 * k + e];
  __syncthreads();
  float sum[2][2] = {};
  for (int k = 0; k < n; ++k)
    for (int r = 0; r < 2; ++r)
      for (int s = 0; s < 2; ++s)
        sum[r][s] += as[k][16 * r + threadIdx.y] * bs[k][16 * s + threadIdx.x];
  for (int r = 0; r < 2; ++r)
    for (int s = 0; s < 2; ++s)
      c[(16 * r + threadIdx.y) * 32 + 16 * s + threadIdx.x] = sum[r][s];
}

// The reversed iterations have barriers; a store in the loop takes the gradient away before the iteration ends; the
// threads come to the loop on different ways; the address is carried from iteration to iteration; it is read from memory.
// REMARK: lanes that read one element add to it one by one, or as they happen to come together: the iterations of the loop are kept apart by barriers
// CHECK-LABEL: .entry _Z10stores_bwd{{[^(]*}}(
// CHECK-NOT: shfl.sync.bfly
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void stores(const float *x, float *y, int n) {
  __shared__ float staged[32];
  float v = x[threadIdx.x], sum = 0;
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    staged[threadIdx.x] = v * k;
    __syncthreads();
    sum += staged[k] * v;
  }
  y[threadIdx.x] = sum;
}
// REMARK: lanes that read one element add to it one by one, or as they happen to come together: the loop stores to shared memory, has a barrier or calls a function
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void keeps(const float *x, const float *w, float *y, int n) {
  __shared__ float staged[256], own[256];
  staged[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    own[threadIdx.x] = staged[k] * x[threadIdx.x];
    sum += own[255 - threadIdx.x] * staged[k];
  }
  y[threadIdx.x] = sum;
}
// REMARK: lanes that read one element add to it one by one, or as they happen to come together: the threads of a block may come to the loop on different ways
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void ways(const float *x, const float *w, float *y, int n) {
  __shared__ float staged[256];
  staged[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  float sum = 0;
  if (x[threadIdx.x] > 0)
    for (int k = 0; k < n; ++k)
      sum += staged[k] * x[threadIdx.x];
  y[threadIdx.x] = sum;
}
// REMARK: lanes that read one element add to it one by one, or as they happen to come together: the address depends on what the loop carries
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void carried(const float *x, const float *w, float *y, unsigned n) {
  __shared__ float staged[256];
  staged[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  float v = x[threadIdx.x];
  for (unsigned k = 1; k < n; k = k * 5 + 3) {
    v += v * staged[k];
    if (v > 3)
      break;
  }
  y[threadIdx.x] = v;
}
// REMARK: lanes that read one element add to it one by one, or as they happen to come together: the address is computed by more than sums and products of counters
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void read(const float *x, const float *w, const int *order, float *y, int n) {
  __shared__ float staged[256];
  staged[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  float v = x[threadIdx.x], sum = 0;
  for (int k = 0; k < n; ++k)
    sum += staged[order[k]] * v;
  y[threadIdx.x] = sum;
}
