// test/benchmark/gpu/sources/segments.cu - sums over segments given by row pointers (CSR): each row adds up the rows of
// x that its entries name, weighted. The product of a sparse matrix and a dense one, and the sum over neighbours of
// graphs.

#include "by_hand.h"

// Channels of a row in pairs: one for each lane of a warp.
constexpr int PAIRS = 32;

// Eight entries at a time: their columns and weights are read by as many lanes and handed around, so that eight rows of
// x are on their way.
// first [rows + 1], column, weight [entries], x [columns, 32] pairs -> y [rows, 32] pairs
[[kernix::bind, kernix::differentiable(backward), kernix::block(256), kernix::grid("ceil_div(first.size(0) - 1, 8)")]]
__global__ void segments(const int *first, const int *column, const float *weight, const float2 *x,
                         [[kernix::shape("first.size(0) - 1", "32")]] float2 *y,
                         [[kernix::value("first.size(0) - 1")]] int rows) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const int begin = first[row], end = first[row + 1];
  float left = 0, right = 0;
  for (int start = begin; start < end; start += 8) {
    const int count = min(8, end - start);
    const int mine = lane < count ? column[start + lane] : 0;
    const float mine_weight = lane < count ? weight[start + lane] : 0;
    float2 v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const int at = __shfl_sync(by_hand::EVERYBODY, mine, k) * PAIRS + lane;
      v[k] = k < count ? x[at] : make_float2(0, 0);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float w = __shfl_sync(by_hand::EVERYBODY, mine_weight, k);
      left += w * v[k].x;
      right += w * v[k].y;
    }
  }
  y[row * PAIRS + lane] = make_float2(left, right);
}

// Columns and weights are read by the lanes side by side and handed around; four rows at a time are on their way. What
// is beyond the end has weight zero.
[[kernix::bind, kernix::block(256), kernix::grid("ceil_div(first.size(0) - 1, 8)")]]
__global__ void segments_forward_by_hand(const int *__restrict__ first, const int *__restrict__ column,
                                         const float *__restrict__ weight, const float2 *__restrict__ x,
                                         float2 *__restrict__ y, [[kernix::value("first.size(0) - 1")]] int rows) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const int begin = first[row], end = first[row + 1];
  float left = 0, right = 0;
  for (int start = begin; start < end; start += 32) {
    const int count = min(32, end - start);
    const int mine = lane < count ? column[start + lane] : 0;
    const float mine_weight = lane < count ? weight[start + lane] : 0;
    for (int some = 0; some < count; some += 4) {
      float2 v[4];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        v[k] = x[__shfl_sync(by_hand::EVERYBODY, mine, some + k) * PAIRS + lane];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float w = __shfl_sync(by_hand::EVERYBODY, mine_weight, some + k);
        left += w * v[k].x;
        right += w * v[k].y;
      }
    }
  }
  y[row * PAIRS + lane] = make_float2(left, right);
}

[[kernix::bind, kernix::block(256), kernix::grid("ceil_div(first.size(0) - 1, 8)")]]
__global__ void segments_by_hand(const int *__restrict__ first, const int *__restrict__ column,
                                 const float *__restrict__ weight, float *__restrict__ gweight,
                                 const float2 *__restrict__ x, float2 *__restrict__ gx, const float2 *__restrict__ gy,
                                 [[kernix::value("first.size(0) - 1")]] int rows) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const int begin = first[row], end = first[row + 1];
  const float2 g = gy[row * PAIRS + lane];
  for (int start = begin; start < end; start += 8) {
    const int count = min(8, end - start);
    const int mine = lane < count ? column[start + lane] : 0;
    const float mine_weight = lane < count ? weight[start + lane] : 0;
    float products[8];
    int at[8];
    float2 v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      at[k] = __shfl_sync(by_hand::EVERYBODY, mine, k) * PAIRS + lane;
      v[k] = k < count ? x[at[k]] : g;
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float w = __shfl_sync(by_hand::EVERYBODY, mine_weight, k);
      products[k] = g.x * v[k].x + g.y * v[k].y;
      if (k < count)
        by_hand::add(gx + at[k], w * g.x, w * g.y);
    }
    const float sum = by_hand::sums_of_warp(products, lane);
    const int k = by_hand::number_of_lane(lane);
    if (lane % 4 == 0 && k < count)
      gweight[start + k] += sum;
  }
}
