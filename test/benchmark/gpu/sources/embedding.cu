// test/benchmark/gpu/sources/embedding.cu - rows of a table, of which some are asked for again and again.

#include "by_hand.h"

// Four columns at a time: 64 in a row.
constexpr int FOURS = 16;

// table [words, 16] fours, ids [n] -> y [n, 16] fours
[[kernix::bind, kernix::differentiable(backward), kernix::block(256),
  kernix::grid("ceil_div(ids.size(0) * 16, block.x)")]]
__global__ void embedding(const float4 *table, const int *ids, [[kernix::shape("ids.size(0)", "16")]] float4 *y,
                          [[kernix::value("ids.size(0)")]] int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * FOURS)
    y[i] = table[ids[i / FOURS] * FOURS + i % FOURS];
}

[[kernix::bind, kernix::block(256), kernix::grid("ceil_div(ids.size(0) * 16, 4 * block.x)")]]
__global__ void embedding_forward_by_hand(const float4 *__restrict__ table, const int *__restrict__ ids,
                                          float4 *__restrict__ y, [[kernix::value("ids.size(0)")]] int n) {
  const int first = blockIdx.x * 4 * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = first + k * blockDim.x;
    if (i < n * FOURS)
      y[i] = table[ids[i / FOURS] * FOURS + i % FOURS];
  }
}

// A warp takes 32 words and adds those that are equal before it adds to the table: rows that are asked for often are
// added to less often. Two rows are read at a time, by half a warp each.
[[kernix::bind, kernix::block(256), kernix::grid("ceil_div(ids.size(0), 256)")]]
__global__ void embedding_by_hand(float4 *__restrict__ gtable, const int *__restrict__ ids,
                                  const float4 *__restrict__ gy, [[kernix::value("ids.size(0)")]] int n) {
  const int lane = threadIdx.x % 32, start = blockIdx.x * 256 + threadIdx.x / 32 * 32;
  if (start >= n)
    return;
  const int column = lane % 16, half = lane / 16;
  const int id = start + lane < n ? ids[start + lane] : -1;
  const unsigned equal = __match_any_sync(by_hand::EVERYBODY, id);
  const bool is_first = __ffs(equal) - 1 == lane;
  // Words that come once: nothing to add up, all their loads side by side.
  unsigned alone = __ballot_sync(by_hand::EVERYBODY, is_first && id >= 0 && __popc(equal) == 1);
  while (alone) {
    const int one = __ffs(alone) - 1;
    alone &= alone - 1;
    const int two = alone ? __ffs(alone) - 1 : -1;
    alone &= alone - 1;
    const int mine = half ? two : one;
    const int row = __shfl_sync(by_hand::EVERYBODY, id, mine & 31);
    if (mine >= 0) {
      const float4 g = gy[(start + mine) * FOURS + column];
      by_hand::add(gtable + row * FOURS + column, g.x, g.y, g.z, g.w);
    }
  }
  unsigned several = __ballot_sync(by_hand::EVERYBODY, is_first && id >= 0 && __popc(equal) > 1);
  while (several) {
    const int leader = __ffs(several) - 1;
    several &= several - 1;
    const int row = __shfl_sync(by_hand::EVERYBODY, id, leader);
    unsigned members = __shfl_sync(by_hand::EVERYBODY, equal, leader);
    float4 sum = make_float4(0, 0, 0, 0);
    while (members) {
      const int one = __ffs(members) - 1;
      members &= members - 1;
      const int two = members ? __ffs(members) - 1 : -1;
      members &= members - 1;
      const int mine = half ? two : one;
      if (mine >= 0) {
        const float4 g = gy[(start + mine) * FOURS + column];
        sum.x += g.x, sum.y += g.y, sum.z += g.z, sum.w += g.w;
      }
    }
    sum.x += __shfl_down_sync(by_hand::EVERYBODY, sum.x, 16);
    sum.y += __shfl_down_sync(by_hand::EVERYBODY, sum.y, 16);
    sum.z += __shfl_down_sync(by_hand::EVERYBODY, sum.z, 16);
    sum.w += __shfl_down_sync(by_hand::EVERYBODY, sum.w, 16);
    if (half == 0)
      by_hand::add(gtable + row * FOURS + column, sum.x, sum.y, sum.z, sum.w);
  }
}
