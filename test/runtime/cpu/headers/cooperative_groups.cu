// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
//
// Blocks, tiles of every size, coalesced groups, partitions; reduce, scan and memcpy_async.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <vector>

namespace cg = cooperative_groups;

__global__ void block(int *out) {
  cg::thread_block b = cg::this_thread_block();
  __shared__ int ranks[64];
  int *to = out + 8 * b.thread_rank();
  ranks[b.thread_rank()] = b.thread_rank();
  b.sync();
  to[0] = ranks[b.size() - 1 - b.thread_rank()], to[1] = b.num_threads(), to[2] = b.group_dim().y,
  to[3] = b.thread_index().y;
  cg::grid_group g = cg::this_grid();
  to[4] = static_cast<int>(g.thread_rank()), to[5] = static_cast<int>(g.size()), to[6] = g.is_valid();
  cg::thread_group any = b;
  any.sync();
  to[7] = any.thread_rank() + 100 * any.size();
  cg::sync(b);
}

template <unsigned N> __device__ int sum_down(cg::thread_block_tile<N> tile, int value) {
  for (unsigned i = tile.size() / 2; i > 0; i /= 2)
    value += tile.shfl_down(value, i);
  return tile.shfl(value, 0);
}

struct Wide {
  double a, b;
  int c;
};

template <unsigned N> __global__ void tile(int *out) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<N>(b);
  int i = b.thread_rank(), *to = out + 24 * i;
  to[0] = t.thread_rank(), to[1] = t.size(), to[2] = t.meta_group_rank(), to[3] = t.meta_group_size();
  to[4] = sum_down(t, i), to[5] = sum_down<N>(t, 1), to[6] = t.shfl_up(i, 1), to[7] = t.shfl_xor(i, N / 2);
  to[8] = t.any(t.thread_rank() == N - 1), to[9] = t.all(i >= 0),
  to[10] = static_cast<int>(t.ballot(t.thread_rank() % 2));
  to[11] = cg::reduce(t, i, cg::plus<int>()), to[12] = cg::reduce(t, i, cg::greater<int>()),
  to[13] = cg::reduce(t, i, cg::less<int>());
  to[14] = cg::reduce(t, 1 << i % 32, cg::bit_or<int>()), to[15] = cg::inclusive_scan(t, i),
  to[16] = cg::exclusive_scan(t, i, cg::plus<int>());
  Wide wide = t.shfl(Wide{0.5 * i, 1.5 * i, i}, N - 1);
  to[17] = wide.a * 2 == wide.c && wide.b * 2 == 3 * wide.c ? wide.c : -1;
  to[18] = static_cast<int>(t.match_any(t.thread_rank() / 2));
  int all;
  to[19] = static_cast<int>(t.match_all(t.meta_group_rank(), all));
  to[19] = all ? to[19] : -1;
  auto half = cg::tiled_partition<(N > 1 ? N / 2 : 1)>(t);
  to[20] = half.meta_group_rank() + 10 * half.meta_group_size() + 1000 * half.thread_rank();
  cg::thread_group any = t;
  any.sync();
  t.sync();
  to[21] = any.thread_rank() + 100 * any.size();
  auto by_size = cg::tiled_partition(b, N);
  to[22] = by_size.thread_rank() + 100 * by_size.size();
  cg::thread_group of_block = cg::tiled_partition(cg::thread_group(b), N),
                   of_tile = cg::tiled_partition(of_block, N > 1 ? N / 2 : 1);
  of_block.sync(), of_tile.sync();
  if (of_block.thread_rank() != by_size.thread_rank() || of_block.size() != N ||
      of_tile.thread_rank() != half.thread_rank() || of_tile.size() != half.size())
    to[22] = -1;
  to[23] = cg::reduce(t, 0.5f, cg::plus<float>()) * 2;
}

template <unsigned N> void check_tile() {
  std::vector<int> out(64 * 24);
  tile<N><<<1, 64>>>(out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  int n = N;
  for (int i = 0; i < 64; ++i) {
    const int *to = &out[24 * i];
    int rank = i % n, first = i - rank, sum = n * first + n * (n - 1) / 2;
    int full = N == 32 ? -1 : static_cast<int>((1u << N % 32) - 1u);
    CHECK(to[0] == rank && to[1] == n && to[2] == i / n && to[3] == 64 / n && to[4] == sum && to[5] == n);
    CHECK(to[6] == (rank ? i - 1 : i) && to[7] == first + (rank ^ n / 2) && to[8] == 1 && to[9] == 1);
    CHECK(to[10] == (static_cast<int>(0xaaaaaaaau) & full) && to[11] == sum && to[12] == first + n - 1 &&
          to[13] == first);
    CHECK(to[14] == static_cast<int>(static_cast<unsigned>(full) << first % 32));
    CHECK(to[15] == (first + i) * (rank + 1) / 2 && to[16] == to[15] - i && to[17] == first + n - 1);
    CHECK(to[18] == (n == 1 ? 1 : static_cast<int>(3u << rank / 2 * 2)) && to[19] == full);
    int half = n > 1 ? n / 2 : 1;
    CHECK(to[20] == rank / half + 10 * (n / half) + 1000 * (rank % half) && to[21] == rank + 100 * n &&
          to[22] == to[21] && to[23] == n);
  }
}

__global__ void coalesced(int *out) {
  auto b = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(b);
  int lane = threadIdx.x, *to = out + 16 * lane;
  if (lane % 3 == 1) {
    cg::coalesced_group g = cg::coalesced_threads();
    to[0] = g.thread_rank(), to[1] = g.size(), to[2] = g.shfl(lane, 2), to[3] = g.shfl_up(lane, 1),
    to[4] = g.shfl_down(lane, 2);
    to[5] = cg::reduce(g, lane, cg::plus<int>()), to[6] = static_cast<int>(g.ballot(lane > 10)),
    to[7] = g.any(lane == 4);
    to[8] = cg::inclusive_scan(g, 1);
    g.sync();
  }
  warp.sync();
  auto labeled = cg::labeled_partition(warp, lane % 5);
  to[9] = labeled.size(), to[10] = labeled.thread_rank(),
  to[11] = labeled.meta_group_rank() + 100 * labeled.meta_group_size();
  auto binary = cg::binary_partition(cg::coalesced_threads(), lane < 10);
  to[12] = binary.size(), to[13] = binary.thread_rank();
  to[14] = cg::reduce(binary, lane, cg::plus<int>()), to[15] = binary.meta_group_rank();
}

__global__ void copy(const int *in, int n, int *out) {
  __shared__ int buffer[100];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, buffer, in, sizeof(int) * n);
  cg::wait(b);
  for (int i = b.thread_rank(); i < n; i += b.size())
    out[i] = buffer[n - 1 - i];
}

int main() {
  std::vector<int> out(2 * 64 * 8);
  block<<<1, dim3(16, 4)>>>(out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) {
    const int *to = &out[8 * i];
    CHECK(to[0] == 63 - i && to[1] == 64 && to[2] == 4 && to[3] == i / 16 && to[4] == i && to[5] == 64 && !to[6] &&
          to[7] == i + 6400);
  }
  check_tile<1>(), check_tile<2>(), check_tile<4>(), check_tile<8>(), check_tile<16>(), check_tile<32>();

  coalesced<<<1, 32>>>(out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int lane = 0; lane < 32; ++lane) {
    const int *to = &out[16 * lane];
    if (lane % 3 == 1) { // 1, 4, ..., 31
      int rank = lane / 3;
      CHECK(to[0] == rank && to[1] == 11 && to[2] == 7 && to[3] == (rank ? lane - 3 : lane) &&
            to[4] == (rank < 9 ? lane + 6 : lane));
      CHECK(to[5] == 176 && to[6] == 0x7f0 && to[7] == 1 && to[8] == rank + 1);
    }
    CHECK(to[9] == (lane % 5 < 2 ? 7 : 6) && to[10] == lane / 5 && to[11] == lane % 5 + 500);
    CHECK(to[12] == (lane < 10 ? 10 : 22) && to[13] == (lane < 10 ? lane : lane - 10) &&
          to[14] == (lane < 10 ? 45 : 451) && to[15] == (lane < 10));
  }

  std::vector<int> in(100), copied(100);
  for (int i = 0; i < 100; ++i)
    in[i] = i * i;
  for (int n : {1, 31, 100}) {
    copy<<<1, 64>>>(in.data(), n, copied.data());
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i)
      CHECK(copied[i] == in[n - 1 - i]);
  }
}
