// Loops over a tile whose threads read different elements in each iteration are unrolled, so that their loads take turns.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S -fplugin-arg-kernix-Rkernix %s -o %t.ptx 2>%t.txt
// RUN: FileCheck %s --input-file %t.txt
// RUN: FileCheck %s --input-file %t.ptx --check-prefix=PTX
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <kernix/kernix.h>

#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]]
#define SQUARE [[kernix::bind, kernix::differentiable(backward), kernix::block(16, 16)]]

// Down columns, though some threads return before.
// CHECK-LABEL: 'columns'
// CHECK: 'columns': gradients of shared memory: what 11 loads give is added without atomic operations, in 11 turns where 0 <= -blockDim.z + 1, 0 <= -blockDim.x + 16
SQUARE __global__ void columns(const float *x, float *y, int n) {
  __shared__ float a[26][16];
  for (int k = threadIdx.y; k < 26; k += 16)
    a[k][threadIdx.x] = x[k * 16 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x + threadIdx.y > n)
    return;
  float sum = 0;
  for (int d = 0; d < 11; ++d)
    sum += (d + 1) * a[threadIdx.y + d][threadIdx.x];
  y[threadIdx.y * 16 + threadIdx.x] = sum;
}

// Along rows, in a loop that some threads leave before the others; rows are halves of warps. What the tile holds is
// read again where adjoints need it.
// CHECK-LABEL: 'rows'
// CHECK: 'rows': gradients of shared memory: what 8 loads give is added without atomic operations, in 4 turns, for 1 of which the block waits and for the others its warps where 0 <= blockDim.x - 16, 0 <= -blockDim.z + 1, 0 <= -blockDim.x + 16
// PTX-LABEL: .entry _Z8rows_bwd
// PTX: bar.warp.sync
SQUARE __global__ void rows(const float *x, float *y) {
  __shared__ float a[26][20];
  int t = threadIdx.y * 16 + threadIdx.x;
  for (int k = t; k < 520; k += 256)
    a[k / 20][k % 20] = x[k];
  __syncthreads();
  for (int k = t; k < 416; k += 256) {
    float sum = 0;
    for (int d = 0; d < 4; ++d)
      sum += (d + 1) * a[k / 16][k % 16 + d] * a[k / 16][k % 16 + d];
    y[k] = sum;
  }
}

// The same in wider blocks, in which k / 16 is another number: no turns.
// CHECK-LABEL: 'wide'
// CHECK-NOT: without atomic operations, in
[[kernix::bind, kernix::differentiable(backward), kernix::block(32, 8)]]
__global__ void wide(const float *x, float *y) {
  __shared__ float a[26][20];
  int t = threadIdx.y * 16 + threadIdx.x;
  for (int k = t; k < 520; k += 256)
    a[k / 20][k % 20] = x[k];
  __syncthreads();
  for (int k = t; k < 416; k += 256) {
    float sum = 0;
    for (int d = 0; d < 4; ++d)
      sum += (d + 1) * a[k / 16][k % 16 + d] * a[k / 16][k % 16 + d];
    y[k] = sum;
  }
}

// Threads of one column read the same element in an iteration.
// CHECK-LABEL: 'same'
// CHECK-NOT: without atomic operations, in
SQUARE __global__ void same(const float *x, float *y) {
  __shared__ float a[32];
  if (threadIdx.y < 2)
    a[threadIdx.y * 16 + threadIdx.x] = x[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int d = 0; d < 11; ++d)
    sum += (d + 1) * a[threadIdx.x + d];
  y[threadIdx.y * 16 + threadIdx.x] = sum * sum;
}

// More iterations than shall be unrolled, and numbers that are not known.
// CHECK-LABEL: 'many'
// CHECK-NOT: without atomic operations, in
BACKWARD __global__ void many(const float *x, float *y, int n) {
  __shared__ float a[512];
  int t = threadIdx.x;
  a[t] = x[t], a[t + 256] = x[t + 256];
  __syncthreads();
  float sum = 0;
  for (int d = 0; d < 200; ++d)
    sum += d * a[t + d];
  for (int d = 0; d < n; ++d)
    sum += d * a[t + d];
  for (int d = t; d < 256; d += n)
    sum += d * a[d];
  y[t] = sum;
}

// Stored to afterwards: it is not there any more when adjoints would read it again.
// CHECK-LABEL: 'later'
// CHECK-NOT: without atomic operations, in
BACKWARD __global__ void later(const float *x, float *y) {
  __shared__ float a[512];
  int t = threadIdx.x;
  a[t] = x[t], a[t + 256] = x[t + 256];
  __syncthreads();
  float sum = 0;
  for (int k = t; k < 500; k += 256)
    sum += a[k] * a[k + 1] * a[k + 2] * a[k + 3];
  __syncthreads();
  a[t] = sum;
  __syncthreads();
  y[t] = a[255 - t];
}
// CHECK-LABEL: 'not_later'
// CHECK: 'not_later': gradients of shared memory: what 8 loads give is added without atomic operations, in 4 turns
BACKWARD __global__ void not_later(const float *x, float *y) {
  __shared__ float a[512], b[256];
  int t = threadIdx.x;
  a[t] = x[t], a[t + 256] = x[t + 256];
  __syncthreads();
  float sum = 0;
  for (int k = t; k < 500; k += 256)
    sum += a[k] * a[k + 1] * a[k + 2] * a[k + 3];
  __syncthreads();
  b[t] = sum;
  __syncthreads();
  y[t] = b[255 - t];
}

// Threads that return before all barriers would not be there for those of turns.
// CHECK-LABEL: 'returned'
// CHECK-NOT: without atomic operations, in
SQUARE __global__ void returned(const float *x, float *y, int n) {
  __shared__ float a[26][16];
  if (threadIdx.x > n)
    return;
  for (int k = threadIdx.y; k < 26; k += 16)
    a[k][threadIdx.x] = x[k * 16 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int d = 0; d < 11; ++d)
    sum += (d + 1) * a[threadIdx.y + d][threadIdx.x];
  y[threadIdx.y * 16 + threadIdx.x] = sum;
}

// Of what is staged in two halves, one has no gradient: nobody reads what would be added there.
// CHECK-LABEL: 'halves'
// CHECK: 'halves': gradients of shared memory: what 11 loads give is added without atomic operations, in 11 turns; what 11 other loads give is read by nobody where
#define HALVES(STORED)                                                                                                 \
  __shared__ float a[2][26][16];                                                                                       \
  int t = threadIdx.y * 16 + threadIdx.x;                                                                              \
  for (int k = t; k < 416; k += 256) {                                                                                 \
    a[STORED][k / 16][k % 16] = x[k];                                                                                  \
    a[1][k / 16][k % 16] = z[k];                                                                                       \
  }                                                                                                                    \
  __syncthreads();                                                                                                     \
  float sum = 0;                                                                                                       \
  for (int d = 0; d < 11; ++d)                                                                                         \
    sum += (d + 1) * a[0][threadIdx.y + d][threadIdx.x] * sum + (d + 2) * a[1][threadIdx.y + d][threadIdx.x];          \
  y[t] = sum;
SQUARE __global__ void halves(const float *x, [[kernix::no_diff]] const float *z, float *y) { HALVES(0) }

// Which half is which only the launch knows.
// CHECK-LABEL: 'either'
// CHECK-NOT: is read by nobody
SQUARE __global__ void either(const float *x, [[kernix::no_diff]] const float *z, float *y, int which) {
  HALVES(which)
}
