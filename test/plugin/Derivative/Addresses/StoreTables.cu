// Second derivatives want threads to store to elements of shared memory of their own. Where indices are no sums of
// products, the threads of a block are gone through one by one, and the iterations of their loops.
// RUN: not %cpu-device -O2 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

#define KERNEL(...) [[kernix::bind, kernix::differentiable(2) __VA_OPT__(, kernix::block(__VA_ARGS__))]] __global__ void
// Reads all that an array of 256 numbers holds, through a product.
#define USE(array) y[threadIdx.x] = (array)[threadIdx.x] * (array)[255 - threadIdx.x]

// -- Loops that fill tiles --

KERNEL(64) padded(const float *x, float *y) {
  __shared__ float tile[12][13];
  for (int e = threadIdx.x; e < 144; e += 64)
    tile[e / 12][e % 12] = x[e];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x / 12][threadIdx.x % 12] * tile[11 - threadIdx.x / 12][3];
}

KERNEL(128) too_small(const float *x, float *y) {
  __shared__ float tile[12][13];
  for (int e = threadIdx.x; e < 144; e += 64)
    // CHECK: StoreTables.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'too_small': several threads may store to one element of shared memory here, which has no second derivative; let one thread store it, and say how large the blocks are with {{.*}}kernix::block
    tile[e / 12][e % 12] = x[e];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x / 12][threadIdx.x % 12] * tile[11 - threadIdx.x / 12][3];
}

// The launch is asked whether blocks are as small as that.
KERNEL() any_block(const float *x, float *y) {
  __shared__ float tile[12][13];
  for (int e = threadIdx.x; e < 144; e += 64)
    tile[e / 12][e % 12] = x[e];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x / 12][threadIdx.x % 12] * tile[11 - threadIdx.x / 12][3];
}

KERNEL() extents_of_the_block(const float *x, float *y) {
  __shared__ float tile[20][21];
  for (int e = threadIdx.x; e < 400; e += blockDim.x)
    tile[e / 20][e % 20] = x[e];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x / 20][threadIdx.x % 20] * tile[19 - threadIdx.x / 20][3];
}

// How long the loop is is not known, but how large the tile is.
KERNEL(128) until_n(const float *x, float *y, int n) {
  __shared__ float tile[16][33];
  for (int e = threadIdx.x; e < n * 32; e += 128)
    tile[e / 32][e % 32] = x[e];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x / 32][threadIdx.x % 32] * tile[15 - threadIdx.x / 32][3];
}

// A ring is never left.
KERNEL(96) ring(const float *x, float *y, int n) {
  __shared__ float tile[256];
  for (int e = threadIdx.x; e < n; e += 96)
    // CHECK: StoreTables.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'ring': several threads may store
    tile[e % 256] = x[e];
  __syncthreads();
  USE(tile);
}

KERNEL(8, 8) rows_and_columns(const float *x, float *y) {
  __shared__ float tile[10][11];
  for (int r = threadIdx.y; r < 10; r += 8)
    for (int c = threadIdx.x; c < 10; c += 8)
      tile[r][c] = x[r * 10 + c];
  __syncthreads();
  y[threadIdx.y * 8 + threadIdx.x] = tile[threadIdx.y][threadIdx.x] * tile[9 - threadIdx.y][9 - threadIdx.x];
}

// -- Pieces --

KERNEL() halo(const float *x, float *y) {
  __shared__ float tile[34];
  int t = threadIdx.x;
  tile[t + 1] = x[t + 1];
  if (t == 0)
    tile[0] = x[0];
  if (t == 31)
    tile[33] = x[33];
  __syncthreads();
  y[t] = tile[t] * tile[t + 1] * tile[t + 2];
}

KERNEL(64) halo_of_two(const float *x, float *y) {
  __shared__ float tile[68];
  int t = threadIdx.x;
  tile[t + 2] = x[t + 2];
  if (t < 2) {
    tile[t] = x[t];
    tile[t + 66] = x[t + 66];
  }
  __syncthreads();
  y[t] = tile[t] * tile[t + 2] * tile[t + 4];
}

KERNEL(64) halo_too_far(const float *x, float *y) {
  __shared__ float tile[68];
  int t = threadIdx.x;
  // CHECK: StoreTables.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'halo_too_far': several threads may store
  tile[t + 2] = x[t + 2];
  if (t < 3)
    // CHECK: StoreTables.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'halo_too_far': several threads may store
    tile[t] = x[t];
  __syncthreads();
  y[t] = tile[t] * tile[t + 2];
}

// -- Bits --

KERNEL(16, 16) swizzled(const float *x, float *y) {
  __shared__ float tile[16][16];
  tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = x[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  y[threadIdx.x * 16 + threadIdx.y] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x] * tile[threadIdx.y][0];
}

KERNEL(256) butterflies(const float *x, float *y) {
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = x[t];
  s[t + 256] = x[t + 256];
  __syncthreads();
#pragma unroll 1
  for (int m = 1; m < 512; m *= 2) {
    int i = t / m * 2 * m + t % m;
    float a = s[i], b = s[i + m];
    __syncthreads();
    s[i] = a + b * .5f;
    s[i + m] = a - b * .25f;
    __syncthreads();
  }
  y[t] = s[t];
  y[t + 256] = s[t + 256];
}

// -- Threads that meet --

KERNEL(256) neighbours(const float *x, float *y) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  // CHECK: StoreTables.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'neighbours': several threads may store
  s[t / 2] = x[t / 2];
  __syncthreads();
  USE(s);
}

KERNEL(256) in_another_iteration(const float *x, float *y) {
  __shared__ float s[512];
  for (int k = 0; k < 2; ++k)
    // CHECK: StoreTables.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'in_another_iteration': several threads may store
    s[(threadIdx.x * 5 + k * 5) % 512] = x[(threadIdx.x * 5 + k * 5) % 512];
  __syncthreads();
  USE(s);
}

// With a barrier between them they do not.
KERNEL(256) one_after_the_other(const float *x, float *y) {
  __shared__ float s[512];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 2; ++k) {
    s[(threadIdx.x * 5 + k * 5) % 512] = x[(threadIdx.x * 5 + k * 5) % 512];
    __syncthreads();
    sum += s[threadIdx.x * 5 % 512] * s[(threadIdx.x * 5 + 5) % 512];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

KERNEL(32) read_from_memory(const float *x, const int *at, float *y) {
  __shared__ float s[32];
  // CHECK: StoreTables.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'read_from_memory': several threads may store
  s[at[threadIdx.x]] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x] * s[31 - threadIdx.x];
}

KERNEL(256) some_of_them(const float *x, float *y, float limit) {
  __shared__ float s;
  if (threadIdx.x == 0)
    s = x[0];
  __syncthreads();
  if (x[threadIdx.x] > limit)
    // CHECK: StoreTables.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'some_of_them': several threads may store
    s = x[1];
  __syncthreads();
  y[threadIdx.x] = s * x[threadIdx.x];
}
