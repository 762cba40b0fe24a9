// Elements of shared memory that threads store one after the other, at indices that are no sums of products.
#include "bank.h"

// bank: x in [144] -1:1 | y out [64] | @block 64 | @grid 1
ONCE_KERNEL void padded_tile [[kernix::block(64)]] (const T *x, T *y) {
  __shared__ T tile[12][13];
  int t = threadIdx.x;
  for (int e = t; e < 144; e += 64)
    tile[e / 12][e % 12] = x[e] * x[143 - e];
  __syncthreads();
  y[t] = tile[t / 12][t % 12] * tile[11 - t / 12][t % 12] + tile[6 + t / 12][3];
}

// bank: x in [400] -1:1 | y out [128] | @block 128 | @grid 1
ONCE_KERNEL void tile_for_any_block(const T *x, T *y) {
  __shared__ T tile[20][21];
  int t = threadIdx.x;
  for (int e = t; e < 400; e += blockDim.x)
    tile[e / 20][e % 20] = sin(x[e]);
  __syncthreads();
  y[t] = tile[t / 20][t % 20] * tile[19 - t / 20][t % 20];
}

// bank: x in [68] -1:1 | w in [3] -1:1 | y out [64] | @block 64 | @grid 1
KERNEL void halo_of_two [[kernix::block(64)]] (const T *x, const T *w, T *y) {
  __shared__ T tile[68];
  int t = threadIdx.x;
  tile[t + 2] = x[t + 2] * x[t + 2];
  if (t < 2) {
    tile[t] = exp(x[t]);
    tile[t + 66] = x[t + 66] * x[t];
  }
  __syncthreads();
  y[t] = w[0] * tile[t] * tile[t + 4] + w[1] * tile[t + 2] + w[2] * tile[t + 1] * tile[t + 3];
}

// bank: x in [34] -1:1 | y out [32] | @block 32 | @grid 1
KERNEL void halo_of_one(const T *x, T *y) {
  __shared__ T tile[34];
  int t = threadIdx.x;
  tile[t + 1] = x[t + 1] * x[33 - t];
  if (t == 0)
    tile[0] = x[0] * x[1];
  if (t == 31)
    tile[33] = x[33] * x[2];
  __syncthreads();
  y[t] = tile[t] * tile[t + 1] * tile[t + 2];
}

// bank: x in [16, 16] -1:1 | y out [16, 16] | @block 16,16 | @grid 1,1
KERNEL void swizzled_tile [[kernix::block(16, 16)]] (const T *x, T *y) {
  __shared__ T tile[16][16];
  int r = threadIdx.y, c = threadIdx.x;
  tile[r][c ^ r] = x[r * 16 + c] * x[r * 16];
  __syncthreads();
  y[c * 16 + r] = tile[c][r ^ c] * tile[r][0];
}

// bank: x in [32] -1:1 | y out [32] | @block 16 | @grid 1
KERNEL void butterflies_in_tile [[kernix::block(16)]] (const T *x, T *y) {
  __shared__ T s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  s[t + 16] = x[t + 16];
  __syncthreads();
  for (int m = 1; m < 32; m *= 2) {
    int i = t / m * 2 * m + t % m;
    T a = s[i], b = s[i + m];
    __syncthreads();
    s[i] = a + b * a * T(.5);
    s[i + m] = a - b * T(.25);
    __syncthreads();
  }
  y[t] = s[t];
  y[t + 16] = s[t + 16] * s[t];
}

// bank: x in [n, 32] -1:1 | y out [64] | n = 8 | @block 64 | @grid 1
ONCE_KERNEL void tile_until_n [[kernix::block(64)]] (const T *x, T *y, int n) {
  __shared__ T tile[8][33];
  int t = threadIdx.x;
  for (int e = t; e < n * 32; e += 64)
    tile[e / 32][e % 32] = x[e] * x[e];
  __syncthreads();
  y[t] = tile[t / 32][t % 32] * tile[7 - t / 32][t % 32] + tile[t % 8][2];
}

// In a larger block than the source says, two threads store each element.
// bank: x in [64] -1:1 | y out [128] | @block 128 | @grid 1
ONCE_KERNEL void larger_block_than_declared [[kernix::block(64)]] (const T *x, T *y) {
  __shared__ T row[64];
  int t = threadIdx.x;
  row[t % 64 ^ 5] = x[t % 64] * x[t % 64];
  __syncthreads();
  y[t] = row[t % 64] * x[t / 2];
}
