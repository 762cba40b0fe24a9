// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
//
// Shuffles of every width and operand against CUDA's description of them; votes, matches, reductions.
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

constexpr unsigned full = 0xffffffffu;

__global__ void shuffle(int width, int operand, int *out) {
  int lane = threadIdx.x;
  out[lane] = __shfl_sync(full, lane, operand, width);
  out[32 + lane] = __shfl_up_sync(full, lane, static_cast<unsigned>(operand), width);
  out[64 + lane] = __shfl_down_sync(full, lane, static_cast<unsigned>(operand), width);
  out[96 + lane] = __shfl_xor_sync(full, lane, operand, width);
}

template <class T> __global__ void shuffle_type(const T *in, T *out) {
  int lane = threadIdx.x;
  T own = in[lane];
  out[lane] = __shfl_sync(full, own, 31 - lane);
  out[32 + lane] = __shfl_up_sync(full, own, 3);
  out[64 + lane] = __shfl_down_sync(full, own, 5, 16);
  out[96 + lane] = __shfl_xor_sync(full, own, 1);
}

template <class T> void check_type(T (*make)(int)) {
  std::vector<T> in(32), out(128);
  for (int i = 0; i < 32; ++i)
    in[i] = make(i);
  shuffle_type<<<1, 32>>>(in.data(), out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  auto same = [&](int slot, int lane) { return std::memcmp(&out[slot], &in[lane], sizeof(T)) == 0; };
  for (int i = 0; i < 32; ++i)
    CHECK(same(i, 31 - i) && same(32 + i, i < 3 ? i : i - 3) && same(64 + i, i % 16 > 10 ? i : i + 5) &&
          same(96 + i, i ^ 1));
}

__global__ void votes(unsigned *out) {
  unsigned lane = threadIdx.x;
  unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
  unsigned *to = out + 16 * lane;
  to[0] = __ballot_sync(full, lane % 3 == 0), to[1] = __any_sync(half, lane == 20), to[2] = __all_sync(half, lane < 16);
  to[3] = __uni_sync(full, lane == 3), to[4] = __activemask(), to[5] = __match_any_sync(full, lane / 5);
  int all;
  to[6] = __match_all_sync(half, lane < 16 ? 1.5 : lane, &all), to[7] = static_cast<unsigned>(all);
  to[8] = __reduce_add_sync(half, lane),
  to[9] = static_cast<unsigned>(__reduce_min_sync(full, -static_cast<int>(lane)));
  to[10] = __reduce_max_sync(half, lane * 7 % 32), to[11] = __reduce_or_sync(full, 1u << lane);
  to[12] = __reduce_xor_sync(half, lane), to[13] = __reduce_and_sync(full, ~(1u << lane));
  __syncwarp();
  __syncwarp(half);
  to[14] = __fns(0xf0f0u, 5, 2), to[15] = __fns(0xf0f0u, 5, -1);
}

int main() {
  std::vector<int> out(128);
  for (int width = 1; width <= 32; width *= 2)
    for (int operand = 0; operand < 70; ++operand) {
      shuffle<<<1, 32>>>(width, operand, out.data());
      CHECK_CUDA(cudaDeviceSynchronize());
      int part = operand % 32; // of the operand, five bits are used
      for (int lane = 0; lane < 32; ++lane) {
        int first = lane / width * width, within = lane % width;
        CHECK(out[lane] == first + operand % width);
        CHECK(out[32 + lane] == (within >= part ? lane - part : lane));
        CHECK(out[64 + lane] == (within + part < width ? lane + part : lane));
        // Lanes of a later segment are not read, those of an earlier one are.
        CHECK(out[96 + lane] == ((lane ^ part) < first + width ? lane ^ part : lane));
      }
    }

  check_type<int>([](int i) { return i - 7; });
  check_type<unsigned>([](int i) { return 0xfffffff0u + static_cast<unsigned>(i); });
  check_type<long>([](int i) { return (1l << 40) * i; });
  check_type<unsigned long>([](int i) { return ~0ul - static_cast<unsigned long>(i); });
  check_type<long long>([](int i) { return -(1ll << 50) + i; });
  check_type<unsigned long long>([](int i) { return (1ull << 63) + static_cast<unsigned long long>(i); });
  check_type<float>([](int i) { return 0.1f * static_cast<float>(i); });
  check_type<double>([](int i) { return 0.1 * i; });
  check_type<half>([](int i) { return half(0.1f * static_cast<float>(i)); });
  check_type<half2>([](int i) { return half2(half(i), half(-i)); });
  check_type<__nv_bfloat16>([](int i) { return __nv_bfloat16(i); });
  check_type<__nv_bfloat162>([](int i) { return __nv_bfloat162(__nv_bfloat16(i), __nv_bfloat16(1)); });

  std::vector<unsigned> found(32 * 16);
  votes<<<1, 32>>>(found.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned *to = &found[16 * lane];
    CHECK(to[0] == 0x49249249u && to[1] == (lane >= 16) && to[2] == (lane < 16) && to[3] == 0 && to[4] == full);
    CHECK(to[5] == (lane < 30 ? 31u << lane / 5 * 5 : 3u << 30));
    CHECK(to[6] == (lane < 16 ? 0xffffu : 0u) && to[7] == (lane < 16));
    CHECK(to[8] == (lane < 16 ? 120u : 376u) && to[9] == static_cast<unsigned>(-31));
    CHECK(to[10] == (lane < 16 ? 31u : 30u) && to[11] == full && to[12] == 0 && to[13] == 0);
    CHECK(to[14] == 6 && to[15] == 5);
  }
}
