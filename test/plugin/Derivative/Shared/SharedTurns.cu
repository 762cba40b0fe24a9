// What threads give to neighbouring elements of a tile is added without atomic operations, one load after another.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S -fplugin-arg-kernix-Rkernix %s -o %t.ptx 2>%t.txt
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --input-file %t.txt --check-prefix=REMARK
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <kernix/kernix.h>

// Five loads behind a guard, whose threads differ: the turns are where all threads are. Different rows may be far enough
// apart, which depends on the block. The version for other launches has the atomic additions.
// CHECK-LABEL: .entry _Z8five_bwd{{[^(]*}}(
// CHECK-COUNT-5: atom.shared.add.f32
// CHECK-NOT: atom.shared.add
// CHECK-LABEL: .entry _Z8both_bwd
// CHECK-COUNT-6: atom.shared.add.f32
// CHECK-NOT: atom.shared.add
// REMARK: gradients of shared memory: what 5 loads give is added without atomic operations, in 5 turns where 0 <= -blockDim.z + 1, 0 <= -blockDim.x + 18
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void five(const float *x, float *y, int n) {
  __shared__ float tile[18][18];
  int i = threadIdx.x, j = threadIdx.y;
  for (int k = j * 16 + i; k < 18 * 18; k += 256)
    tile[k / 18][k % 18] = x[blockIdx.x * 18 * 18 + k];
  __syncthreads();
  if (i + j < n)
    y[(blockIdx.x * 16 + j) * 16 + i] = tile[j + 1][i + 1] * tile[j][i + 1] + tile[j + 2][i + 1] * tile[j + 1][i] +
                                        tile[j + 1][i + 2];
}

// Tiles that are apart from each other share turns.
// REMARK: gradients of shared memory: what 6 loads give is added without atomic operations, in 3 turns
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void both(const float *x, float *y) {
  __shared__ float a[258], b[258];
  int t = threadIdx.x;
  for (int k = t; k < 258; k += 256)
    a[k] = x[blockIdx.x * 258 + k], b[k] = a[k] * a[k];
  __syncthreads();
  y[blockIdx.x * 256 + t] = a[t] * b[t] + a[t + 1] * b[t + 1] + a[t + 2] * b[t + 2];
}

// Threads of different rows may read one element; the number of turns of a loop differs; the loads are on both sides of
// a store; a warp waits in between: atomic additions.
// REMARK-NOT: gradients of shared memory
// CHECK-LABEL: .entry _Z7met_bwd{{[^(]*}}(
// CHECK: atom.shared.add.f32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void met(const float *x, float *y) {
  __shared__ float a[512];
  int t = threadIdx.x + 16 * threadIdx.y;
  a[t] = x[t];
  __syncthreads();
  y[t] = a[threadIdx.x + threadIdx.y] * a[threadIdx.x + threadIdx.y + 1] * a[threadIdx.x + threadIdx.y + 2] *
         a[threadIdx.x + threadIdx.y + 3];
}
// CHECK-LABEL: .entry _Z8loop_bwd{{[^(]*}}(
// CHECK: atom.shared.add.f32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void loop(const float *x, float *y, int n) {
  __shared__ float a[1024];
  for (int k = threadIdx.x; k < 1024; k += 256)
    a[k] = x[k];
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += 256)
    y[k] = a[k] * a[k + 1] * a[k + 2] * a[k + 3];
}
// CHECK-LABEL: .entry _Z9lanes_bwd{{[^(]*}}(
// CHECK: atom.shared.add.f32
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void lanes(const float *x, float *y, int n) {
  __shared__ float a[512];
  int t = threadIdx.x;
  a[t] = x[t];
  __syncthreads();
  if (t / 32 < n) {
    float v = a[t] * a[t + 1];
    __syncwarp();
    y[t] = v * a[t + 2] * a[t + 3];
  }
}

// Rows of the block are warps, and what a thread reads of another row is a turn of its own: the warp waits within a row,
// the block between rows. Factors are read again when their turn comes.
// REMARK: 'in_rows': gradients of shared memory: what 6 loads give is added without atomic operations, in 6 turns, for 2 of which the block waits and for the others its warps where 0 <= blockDim.x - 32, 0 <= -blockDim.z + 1, 0 <= -blockDim.x + 32
// CHECK-LABEL: .entry _Z11in_rows_bwd{{[^(]*}}(
// CHECK-COUNT-8: bar.warp.sync
// CHECK-NOT: bar.warp.sync
#define STAGED                                                                                                         \
  __shared__ float a[10][68];                                                                                          \
  int i = threadIdx.x, j = threadIdx.y;                                                                                \
  for (int row = j; row < 10; row += 8)                                                                                \
    for (int column = i; column < 68; column += 32)                                                                    \
      a[row][column] = x[row * 68 + column];                                                                           \
  __syncthreads();                                                                                                     \
  if (i + j < n)                                                                                                       \
    y[j * 64 + i] = w[0] * a[j][i] + w[1] * a[j][i + 1] + w[2] * a[j][i + 2] + w[3] * a[j + 1][i] +                    \
                    w[4] * a[j + 1][i + 1] + w[5] * a[j + 1][i + 2];
[[kernix::bind, kernix::differentiable(backward), kernix::block(32, 8)]]
__global__ void in_rows(const float *x, [[kernix::no_diff]] const float *w, float *y, int n) {
  STAGED
}

// Rows of two warps, of one and a half, and of nobody knows how many.
// REMARK-NOT: and for the others its warps
// REMARK: 'in_two': gradients of shared memory: what 6 loads give is added without atomic operations, in 6 turns where
// REMARK-NOT: and for the others its warps
// CHECK-LABEL: .entry _Z10in_two_bwd{{[^(]*}}(
// CHECK-NOT: bar.warp.sync
[[kernix::bind, kernix::differentiable(backward), kernix::block(64, 4)]]
__global__ void in_two(const float *x, [[kernix::no_diff]] const float *w, float *y, int n) {
  STAGED
}
[[kernix::bind, kernix::differentiable(backward), kernix::block(48, 4)]]
__global__ void in_part(const float *x, [[kernix::no_diff]] const float *w, float *y, int n) {
  STAGED
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void in_any(const float *x, [[kernix::no_diff]] const float *w, float *y, int n) {
  STAGED
}
