// What is differentiated again exchanges nothing, so that one element which several threads store has first derivatives only.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(2)]]
__global__ void all(const float *x, float *y) {
  __shared__ float mean;
  // CHECK: SharedWritersRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'all': several threads may store to one element of shared memory here, which has no second derivative; let one thread store it, and say how large the blocks are with {{.*}}kernix::block
  mean = x[0] * x[1];
  __syncthreads();
  y[threadIdx.x] = mean * x[threadIdx.x];
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void some(const float *x, float *y) {
  __shared__ float parts[32], rows[8];
  // CHECK: SharedWritersRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'some': several threads may store to one element
  parts[threadIdx.x / 32] = x[threadIdx.x / 32];
  // CHECK: SharedWritersRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'some': several threads may store to one element
  rows[threadIdx.y] = x[threadIdx.y];
  __syncthreads();
  y[threadIdx.x] = parts[threadIdx.x % 32] * rows[threadIdx.y];
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void behind_a_return(const float *x, float *y, int n) {
  __shared__ float mean;
  if (threadIdx.x >= n)
    return;
  // CHECK: SharedWritersRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'behind_a_return': several threads may store to one element
  mean = x[0] * x[1];
  __syncthreads();
  y[threadIdx.x] = mean * x[threadIdx.x];
}

// CHECK-NOT: error:
[[kernix::bind, kernix::differentiable(2)]]
__global__ void one(const float *x, float *y) {
  __shared__ float mean, parts[2];
  if (threadIdx.x == 0)
    mean = x[0] * x[1];
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = mean * parts[1] * x[threadIdx.x];
}

// Each thread has elements of its own. More of these: Addresses/StoreTables.cu.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void own(const float *x, float *y) {
  __shared__ float tile[8][32], turned[12][24];
  int own = threadIdx.x + 5;
  turned[11 - own / 24][own % 24] = x[own];
  for (int e = threadIdx.x; e < 256; e += 64)
    tile[e / 32][e % 32] = x[e];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x % 32] * turned[3][threadIdx.x];
}

[[kernix::bind, kernix::differentiable]]
__global__ void once(const float *x, float *y) {
  __shared__ float mean;
  mean = x[0] * x[1];
  __syncthreads();
  y[threadIdx.x] = mean * x[threadIdx.x];
}
