// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <vector>

constexpr unsigned full = 0xffffffff;
__device__ int lane() { return threadIdx.x % 32; }

__global__ void sum(const int *in, int *out) {
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    value += static_cast<int>(kernix_cpu_warp_shuffle(full, value, lane() + offset < 32 ? lane() + offset : lane()));
  if (lane() == 0)
    out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = value;
}

// The last warp is not full, and some lanes have returned.
__global__ void partial(unsigned *out) {
  if (lane() % 4 == 3)
    return;
  out[threadIdx.x] = kernix_cpu_warp_ballot(full, lane() > 8);
  unsigned other = static_cast<unsigned>(kernix_cpu_warp_shuffle(full, 100 + lane(), 3));
  out[threadIdx.x] ^= other == 100u + lane() ? 0 : 1; // lane 3 is gone: the own value
}

// Groups of the warp go their own ways, and come back together.
__global__ void groups(unsigned *out) {
  unsigned mask = lane() < 16 ? 0xffff : 0xffff0000;
  unsigned r;
  if (lane() < 16)
    r = kernix_cpu_warp_ballot(mask, lane() % 2);
  else
    r = static_cast<unsigned>(kernix_cpu_warp_shuffle(mask, lane() * 3, 31));
  kernix_cpu_warp_sync(full);
  out[threadIdx.x] = r;
}

// The others already wait for the whole warp, behind the branch.
__global__ void ahead(unsigned *out) {
  unsigned r = 1, mask = __ballot_sync(full, lane() >= 16);
  if (lane() >= 16)
    r = __match_any_sync(mask, lane() / 24);
  out[threadIdx.x] = r + __popc(__ballot_sync(full, lane() < 5));
}

__global__ void match(unsigned *out) { out[threadIdx.x] = kernix_cpu_warp_match(full, lane() / 8); }

// Lanes in different branches ask who is with them.
__global__ void active(unsigned *out) {
  if (lane() < 10)
    out[threadIdx.x] = kernix_cpu_active_mask();
  else if (lane() < 30)
    out[threadIdx.x] = kernix_cpu_active_mask() + kernix_cpu_warp_ballot(0x3ffffc00, 0);
  kernix_cpu_barrier();
}
__global__ void active_all(unsigned *out) { out[threadIdx.x] = kernix_cpu_active_mask(); }

__global__ void not_in_mask() { kernix_cpu_warp_sync(1); }

int main() {
  std::vector<int> in(256), sums(8);
  for (int i = 0; i < 256; ++i)
    in[i] = i;
  sum<<<2, 128>>>(in.data(), sums.data());
  CHECK_CUDA(cudaGetLastError());
  for (int w = 0; w < 8; ++w)
    CHECK(sums[w] == 32 * 32 * w + 31 * 16);

  std::vector<unsigned> out(64, 0);
  partial<<<1, 44>>>(out.data());
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < 44; ++i) {
    unsigned live = 0x77777777 & (i < 32 ? full : 0xfff);
    CHECK(out[i] == (i % 4 == 3 ? 0 : (live & ~0x1ffu)));
  }
  groups<<<1, 64>>>(out.data());
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < 64; ++i)
    CHECK(out[i] == (i % 32 < 16 ? 0xaaaau : 93u));
  ahead<<<1, 64>>>(out.data());
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < 64; ++i)
    CHECK(out[i] == 5 + (i % 32 < 16 ? 1u : i % 32 < 24 ? 0xff0000u : 0xff000000u));
  match<<<1, 64>>>(out.data());
  for (int i = 0; i < 64; ++i)
    CHECK(out[i] == 0xffu << i % 32 / 8 * 8);
  active<<<1, 64>>>(out.data());
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < 64; ++i)
    if (i % 32 < 30)
      CHECK(out[i] == (i % 32 < 10 ? 0x3ffu : 0x3ffffc00u));
  active_all<<<1, 40>>>(out.data());
  for (int i = 0; i < 40; ++i)
    CHECK(out[i] == (i < 32 ? full : 0xffu));
  not_in_mask<<<1, 32>>>();
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
}
