// Shared memory declared as words that carry numbers: uint4, uint2 and float4 are how tiles are staged.
#include "bank.h"

// bank: x in f16 [512] -1:1 | y out f16 [512] | @block 64 | @grid 1 | @types f16
PLAIN_KERNEL void halves_in_uint4(const __half *x, __half *y) {
  __shared__ uint4 tile[64];
  int t = threadIdx.x;
  tile[t] = reinterpret_cast<const uint4 *>(x)[t];
  __syncthreads();
  const __half *own = reinterpret_cast<const __half *>(&tile[t]);
  const __half *other = reinterpret_cast<const __half *>(&tile[63 - t]);
  for (int k = 0; k < 8; ++k)
    y[8 * t + k] = __hmul(own[k], other[7 - k]);
}

// bank: x in f16 [512] -1:1 | y out f16 [512] | @block 64 | @grid 1 | @types f16
PLAIN_KERNEL void halves_in_float4(const __half *x, __half *y) {
  __shared__ float4 tile[64];
  int t = threadIdx.x;
  tile[t] = reinterpret_cast<const float4 *>(x)[t];
  __syncthreads();
  const __half *own = reinterpret_cast<const __half *>(&tile[t]);
  const __half *other = reinterpret_cast<const __half *>(&tile[63 - t]);
  for (int k = 0; k < 8; ++k)
    y[8 * t + k] = __hmul(own[k], other[7 - k]);
}

// Taken into registers as words, and out of them.
// bank: x in f16 [512] -1:1 | y out f16 [512] | @block 64 | @grid 1 | @types f16
PLAIN_KERNEL void pairs_in_uint4(const __half *x, __half *y) {
  __shared__ uint4 tile[2][64];
  int t = threadIdx.x;
  uint4 words = reinterpret_cast<const uint4 *>(x)[t];
  tile[t & 1][t] = words;
  __syncthreads();
  uint4 other = tile[~t & 1][63 - t];
  __half2 a[4], b[4];
  *reinterpret_cast<uint4 *>(a) = words;
  *reinterpret_cast<uint4 *>(b) = other;
  for (int k = 0; k < 4; ++k)
    a[k] = __hfma2(a[k], b[k], b[3 - k]);
  reinterpret_cast<uint4 *>(y)[t] = *reinterpret_cast<uint4 *>(a);
}

// bank: x in f16 [256] -1:1 | y out f16 [64] | @block 64 | @grid 1 | @types f16
PLAIN_KERNEL void pairs_in_uint2(const __half *x, __half *y) {
  __shared__ uint2 tile[64];
  int t = threadIdx.x;
  tile[t] = reinterpret_cast<const uint2 *>(x)[t];
  __syncthreads();
  uint2 words = tile[63 - t];
  __half2 a = *reinterpret_cast<__half2 *>(&words.x), b = *reinterpret_cast<__half2 *>(&words.y);
  __half2 c = __hmul2(a, b);
  y[t] = __hadd(__low2half(c), __high2half(c));
}

// bank: x in bf16 [512] -1:1 | y out bf16 [64] | @block 64 | @grid 1 | @types bf16
PLAIN_KERNEL void bfloats_in_uint4(const __nv_bfloat16 *x, __nv_bfloat16 *y) {
  __shared__ uint4 tile[64];
  int t = threadIdx.x;
  tile[t] = reinterpret_cast<const uint4 *>(x)[t];
  __syncthreads();
  uint4 words = tile[63 - t];
  float sum = 0;
  for (unsigned word : {words.x, words.y, words.z, words.w}) {
    float2 pair = __bfloat1622float2(*reinterpret_cast<__nv_bfloat162 *>(&word));
    sum += pair.x * pair.y;
  }
  y[t] = __float2bfloat16(sum);
}

// A matrix product of a tile whose rows are staged eight halves at a time, several tiles in turn.
// bank: a in f16 [2048] -0.5:0.5 | b in f16 [2048] -0.5:0.5 | y out f16 [256] | steps = 8
// bank: @block 16,16 | @grid 1 | @types f16
PLAIN_KERNEL void products_of_words(const __half *a, const __half *b, __half *y, int steps) {
  __shared__ uint4 rows[16][2], columns[16][2];
  int t = threadIdx.y * 16 + threadIdx.x;
  float sum = 0;
  for (int step = 0; step < steps; ++step) {
    if (t < 32)
      rows[t / 2][t % 2] = reinterpret_cast<const uint4 *>(a + step * 256)[t];
    else if (t < 64)
      columns[t % 32 / 2][t % 2] = reinterpret_cast<const uint4 *>(b + step * 256)[t - 32];
    __syncthreads();
    const __half *row = reinterpret_cast<const __half *>(rows[threadIdx.y]);
    const __half *column = reinterpret_cast<const __half *>(columns[threadIdx.x]);
    for (int k = 0; k < 16; ++k)
      sum += __half2float(row[k]) * __half2float(column[k]);
    __syncthreads();
  }
  y[t] = __float2half(sum);
}

// bank: x in [256] -1:1 | y out [64] | @block 64 | @grid 1 | @types f32
PLAIN_KERNEL void floats_in_uint4(const float *x, float *y) {
  __shared__ uint4 tile[64];
  int t = threadIdx.x;
  tile[t] = reinterpret_cast<const uint4 *>(x)[t];
  __syncthreads();
  uint4 words = tile[63 - t];
  y[t] = __uint_as_float(words.x) * __uint_as_float(words.y) + __uint_as_float(words.z) * __uint_as_float(words.w);
}
