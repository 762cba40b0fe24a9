// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
//
// Atomics from many blocks at once: nothing is lost, and what they return were values of the location.
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

constexpr int blocks = 64, threads = 64, total = blocks * threads;

struct Results {
  int add_int, sub_int, min_int, max_int, and_int, or_int, xor_int, exchange_int;
  unsigned add_unsigned, sub_unsigned, min_unsigned, max_unsigned, increment, decrement;
  unsigned long long add_long, min_long, max_long, or_long, cas_long;
  long long min_signed, max_signed;
  float add_float, exchange_float;
  double add_double;
  float2 add_float2;
  float4 add_float4;
  half add_half;
  half2 add_half2;
  __nv_bfloat16 add_bfloat16;
  __nv_bfloat162 add_bfloat162;
  unsigned short cas_short;
  int block_and_system;
};

__device__ double add_by_cas(unsigned long long *address, double value) {
  unsigned long long old = *address, assumed;
  do {
    assumed = old;
    old = atomicCAS(address, assumed,
                    static_cast<unsigned long long>(
                        __double_as_longlong(__longlong_as_double(static_cast<long long>(assumed)) + value)));
  } while (assumed != old);
  return __longlong_as_double(static_cast<long long>(old));
}

__global__ void everything(Results *r, int *seen_add, int *seen_increment) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  seen_add[atomicAdd(&r->add_int, 1)] += 1;
  atomicSub(&r->sub_int, 2), atomicMin(&r->min_int, -i), atomicMax(&r->max_int, i),
      atomicAnd(&r->and_int, ~(1 << i % 30));
  atomicOr(&r->or_int, 1 << i % 30), atomicXor(&r->xor_int, i);
  atomicExch(&r->exchange_int, i);
  atomicAdd(&r->add_unsigned, 3u), atomicSub(&r->sub_unsigned, 1u), atomicMin(&r->min_unsigned, 10u + i);
  atomicMax(&r->max_unsigned, 0x80000000u + i);
  atomicAdd(&seen_increment[atomicInc(&r->increment, 99)], 1);
  atomicDec(&r->decrement, 99);
  atomicAdd(&r->add_long, 1ull << 32), atomicMin(&r->min_long, 1ull << 40 | i), atomicMax(&r->max_long, 1ull << 40 | i);
  atomicOr(&r->or_long, 1ull << i % 64);
  atomicMin(&r->min_signed, -5ll - i), atomicMax(&r->max_signed, -5ll - i);
  add_by_cas(&r->cas_long, 0.5);
  atomicAdd(&r->add_float, 0.25f), atomicExch(&r->exchange_float, 1.0f), atomicAdd(&r->add_double, 0.125);
  atomicAdd(&r->add_float2, make_float2(1, 2)), atomicAdd(&r->add_float4, make_float4(1, 2, 3, 4));
  if (i < 1000) {
    atomicAdd(&r->add_half, half(1)), atomicAdd(&r->add_half2, half2(half(1), half(-1)));
  }
  if (i < 200) {
    atomicAdd(&r->add_bfloat16, __nv_bfloat16(1));
    atomicAdd(&r->add_bfloat162, __nv_bfloat162(__nv_bfloat16(1), __nv_bfloat16(-1)));
  }
  unsigned short old = r->cas_short, assumed;
  do {
    assumed = old;
    old = atomicCAS(&r->cas_short, assumed, static_cast<unsigned short>(assumed + 1));
  } while (assumed != old);
  atomicAdd_block(&r->block_and_system, 1), atomicAdd_system(&r->block_and_system, 1);
}

__global__ void in_shared_memory(int *out) {
  __shared__ int histogram[8];
  if (threadIdx.x < 8)
    histogram[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&histogram[threadIdx.x % 8], static_cast<int>(blockIdx.x));
  __syncthreads();
  if (threadIdx.x < 8)
    out[blockIdx.x * 8 + threadIdx.x] = histogram[threadIdx.x];
}

int main() {
  Results r{};
  r.and_int = -1, r.min_unsigned = ~0u, r.min_long = ~0ull, r.max_signed = -1000000;
  std::vector<int> seen(total), increments(100);
  everything<<<blocks, threads>>>(&r, seen.data(), increments.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int count : seen)
    CHECK(count == 1);
  for (int i = 0; i < 100; ++i)
    CHECK(increments[i] == total / 100 + (i < total % 100));
  CHECK(r.add_int == total && r.sub_int == -2 * total && r.min_int == -(total - 1) && r.max_int == total - 1);
  CHECK(r.and_int == ~0x3fffffff && r.or_int == 0x3fffffff && r.xor_int == 0 && r.exchange_int >= 0 &&
        r.exchange_int < total);
  CHECK(r.add_unsigned == 3u * total && r.sub_unsigned == 0u - total && r.min_unsigned == 10);
  CHECK(r.max_unsigned == 0x80000000u + total - 1 && r.increment == total % 100 &&
        r.decrement == (100 - total % 100) % 100);
  CHECK(r.add_long == static_cast<unsigned long long>(total) << 32 && r.min_long == 1ull << 40);
  CHECK(r.max_long == (1ull << 40 | (total - 1)) && r.or_long == ~0ull && r.min_signed == -5ll - (total - 1) &&
        r.max_signed == -5);
  double by_cas;
  std::memcpy(&by_cas, &r.cas_long, sizeof by_cas);
  CHECK(by_cas == 0.5 * total && r.add_float == 0.25f * total && r.exchange_float == 1 &&
        r.add_double == 0.125 * total);
  CHECK(r.add_float2.x == total && r.add_float2.y == 2 * total && r.add_float4.w == 4 * total &&
        r.add_float4.z == 3 * total);
  CHECK(static_cast<float>(r.add_half) == 1000 && static_cast<float>(r.add_half2.x) == 1000 &&
        static_cast<float>(r.add_half2.y) == -1000);
  CHECK(static_cast<float>(r.add_bfloat16) == 200 && static_cast<float>(r.add_bfloat162.x) == 200 &&
        static_cast<float>(r.add_bfloat162.y) == -200);
  CHECK(r.cas_short == static_cast<unsigned short>(total) && r.block_and_system == 2 * total);

  std::vector<int> histograms(blocks * 8);
  in_shared_memory<<<blocks, threads>>>(histograms.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < blocks * 8; ++i)
    CHECK(histograms[i] == i / 8 * (threads / 8));
}
