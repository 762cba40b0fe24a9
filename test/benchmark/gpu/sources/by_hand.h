// test/benchmark/gpu/sources/by_hand.h - what the hand-written kernels of several workloads share: sums over a warp and
// additions to memory of several numbers at a time. Nothing here is used by kernels that kernix differentiates.

#ifndef BY_HAND_H
#define BY_HAND_H

#include <kernix/kernix.h>

namespace by_hand {

constexpr unsigned EVERYBODY = 0xffffffffu;

__device__ inline float sum_of_warp(float v) {
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_xor_sync(EVERYBODY, v, offset);
  return v;
}

/// Sums of eight numbers over the warp with 9 shuffles instead of 40: with each of the first three exchanges a lane
/// keeps half of the numbers. Returns the sum of number `number_of_lane()`; four neighbouring lanes have the same one.
__device__ inline float sums_of_warp(const float (&v)[8], int lane) {
  float half[4], quarter[2];
  bool upper = lane & 16;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    half[k] = (upper ? v[4 + k] : v[k]) + __shfl_xor_sync(EVERYBODY, upper ? v[k] : v[4 + k], 16);
  upper = lane & 8;
#pragma unroll
  for (int k = 0; k < 2; ++k)
    quarter[k] = (upper ? half[2 + k] : half[k]) + __shfl_xor_sync(EVERYBODY, upper ? half[k] : half[2 + k], 8);
  upper = lane & 4;
  float sum = (upper ? quarter[1] : quarter[0]) + __shfl_xor_sync(EVERYBODY, upper ? quarter[0] : quarter[1], 4);
  sum += __shfl_xor_sync(EVERYBODY, sum, 2);
  return sum + __shfl_xor_sync(EVERYBODY, sum, 1);
}

__device__ inline int number_of_lane(int lane) { return lane / 4; }

/// Adds v of all threads of a one-dimensional block to *to, with one addition to memory. All threads call it.
__device__ inline void add_over_block(float v, float *to) {
  __shared__ float parts[32];
  v = sum_of_warp(v);
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = sum_of_warp(threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0);
    if (threadIdx.x == 0)
      atomicAdd(to, v);
  }
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ inline void add(float2 *to, float x, float y) {
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(x), "f"(y) : "memory");
}
__device__ inline void add(float4 *to, float x, float y, float z, float w) {
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
}
#else
__device__ inline void add(float2 *to, float x, float y) {
  atomicAdd(&to->x, x);
  atomicAdd(&to->y, y);
}
__device__ inline void add(float4 *to, float x, float y, float z, float w) {
  atomicAdd(&to->x, x);
  atomicAdd(&to->y, y);
  atomicAdd(&to->z, z);
  atomicAdd(&to->w, w);
}
#endif

/// *to += (x, y, z, w) where no other thread adds.
__device__ inline void add_alone(float4 *to, float x, float y, float z, float w) {
  const float4 sum = *to;
  *to = make_float4(sum.x + x, sum.y + y, sum.z + z, sum.w + w);
}

} // namespace by_hand

#endif
