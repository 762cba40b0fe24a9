// Local variables that are declared as floats and hold halves: how eight or four are loaded at once.
#include "bank.h"

// bank: x in f16 [256] -1:1 | y out f16 [256] | n = 32 | @types f16
PLAIN_KERNEL void eight_in_float4(const __half *x, __half *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float4 eight = reinterpret_cast<const float4 *>(x)[i];
  auto *pairs = reinterpret_cast<__half2 *>(&eight);
  for (int k = 0; k < 4; ++k)
    pairs[k] = __hmul2(pairs[k], pairs[k]);
  reinterpret_cast<float4 *>(y)[i] = eight;
}

// bank: x in f16 [128] -1:1 | w in f16 [8] -1:1 | y out f16 [128] | n = 32 | @types f16
PLAIN_KERNEL void four_in_float2(const __half *x, const __half *w, __half *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float2 four = reinterpret_cast<const float2 *>(x)[i];
  auto *halves = reinterpret_cast<__half *>(&four);
  for (int k = 0; k < 4; ++k)
    halves[k] = __hmul(halves[k], __hadd(w[k], halves[(k + 1) % 4]));
  reinterpret_cast<float2 *>(y)[i] = four;
}

// Which of them is only known when it runs.
// bank: x in f16 [256] -1:1 | k in i32 [n] 0:8 | y out f16 [n] | n = 32 | @types f16
PLAIN_KERNEL void one_of_eight(const __half *x, const int *k, __half *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float4 eight = reinterpret_cast<const float4 *>(x)[i];
  const auto *halves = reinterpret_cast<const __half *>(&eight);
  __half v = halves[k[i]];
  y[i] = __hfma(v, v, halves[0]);
}

// bank: x in bf16 [256] -1:1 | y out bf16 [n] | n = 32 | @types bf16
PLAIN_KERNEL void sum_of_eight(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float4 eight = reinterpret_cast<const float4 *>(x)[i];
  const auto *pairs = reinterpret_cast<const __nv_bfloat162 *>(&eight);
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    float2 pair = __bfloat1622float2(pairs[k]);
    sum += pair.x * pair.y;
  }
  y[i] = __float2bfloat16(sum);
}
