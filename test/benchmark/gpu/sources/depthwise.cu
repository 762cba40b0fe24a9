// test/benchmark/gpu/sources/depthwise.cu - depthwise convolution, 3 x 3, zeros around: each channel has weights of its
// own. Tiles of 32 x 32 results in shared memory, a block of 32 x 8 threads.

#include "by_hand.h"

constexpr int SIDE = 32, STEP = 8, HALO = SIDE + 2;

namespace {

/// A tile with a border of one, zeros outside of the plane.
__device__ void stage(float (&tile)[HALO][HALO], const float *plane, int top, int left, int height, int width) {
  for (int k = threadIdx.y * SIDE + threadIdx.x; k < HALO * HALO; k += SIDE * STEP) {
    const int row = top + k / HALO - 1, column = left + k % HALO - 1;
    tile[k / HALO][k % HALO] =
        row >= 0 && row < height && column >= 0 && column < width ? plane[row * width + column] : 0.0f;
  }
}

/// Each thread keeps a column of three in registers and walks down four rows.
__device__ void convolve(const float *x, const float *w, float *y, int channels, int height, int width) {
  __shared__ float tile[HALO][HALO];
  const int top = blockIdx.y * SIDE, left = blockIdx.x * SIDE, plane = blockIdx.z;
  float weights[9];
#pragma unroll
  for (int k = 0; k < 9; ++k)
    weights[k] = w[plane % channels * 9 + k];
  stage(tile, x + plane * height * width, top, left, height, width);
  __syncthreads();
  const int column = left + threadIdx.x, first = 4 * threadIdx.y;
  float v[6][3];
#pragma unroll
  for (int r = 0; r < 6; ++r)
#pragma unroll
    for (int c = 0; c < 3; ++c)
      v[r][c] = tile[first + r][threadIdx.x + c];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    float sum = 0;
#pragma unroll
    for (int dy = 0; dy < 3; ++dy)
#pragma unroll
      for (int dx = 0; dx < 3; ++dx)
        sum += weights[3 * dy + dx] * v[k + dy][dx];
    if (top + first + k < height && column < width)
      y[(plane * height + top + first + k) * width + column] = sum;
  }
}

} // namespace

// x [images, channels, height, width], w [channels, 9] -> y like x
[[kernix::bind, kernix::differentiable(backward), kernix::block(32, 8), kernix::max_registers(64),
  kernix::grid("ceil_div(x.size(3), 32)", "ceil_div(x.size(2), 32)", "x.size(0) * x.size(1)")]]
__global__ void depthwise(const float *x, const float *w, [[kernix::shape("x")]] float *y,
                          [[kernix::value("x.size(1)")]] int channels, [[kernix::value("x.size(2)")]] int height,
                          [[kernix::value("x.size(3)")]] int width) {
  convolve(x, w, y, channels, height, width);
}

[[kernix::bind, kernix::block(32, 8),
  kernix::grid("ceil_div(x.size(3), 32)", "ceil_div(x.size(2), 32)", "x.size(0) * x.size(1)")]]
__global__ void depthwise_forward_by_hand(const float *__restrict__ x, const float *__restrict__ w,
                                          float *__restrict__ y, [[kernix::value("x.size(1)")]] int channels,
                                          [[kernix::value("x.size(2)")]] int height,
                                          [[kernix::value("x.size(3)")]] int width) {
  convolve(x, w, y, channels, height, width);
}

// A block takes a whole plane: the gradients of the weights stay in registers until its end. That of x is gathered.
[[kernix::bind, kernix::block(32, 8), kernix::grid("x.size(0) * x.size(1)")]]
__global__ void depthwise_by_hand(const float *__restrict__ x, float *__restrict__ gx, const float *__restrict__ w,
                                  float *__restrict__ gw, const float *__restrict__ gy,
                                  [[kernix::value("x.size(1)")]] int channels,
                                  [[kernix::value("x.size(2)")]] int height, [[kernix::value("x.size(3)")]] int width) {
  __shared__ float given[HALO][HALO];
  const int plane = blockIdx.x, channel = plane % channels;
  x += plane * height * width, gx += plane * height * width, gy += plane * height * width;
  float weights[9], sums[9];
#pragma unroll
  for (int k = 0; k < 9; ++k)
    weights[k] = w[channel * 9 + k], sums[k] = 0;
  const int first = 4 * threadIdx.y;
  for (int top = 0; top < height; top += SIDE)
    for (int left = 0; left < width; left += SIDE) {
      const int column = left + threadIdx.x;
      float values[4], old[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const bool inside = top + first + k < height && column < width;
        values[k] = inside ? x[(top + first + k) * width + column] : 0;
        old[k] = inside ? gx[(top + first + k) * width + column] : 0;
      }
      __syncthreads();
      stage(given, gy, top, left, height, width);
      __syncthreads();
      float g[6][3];
#pragma unroll
      for (int r = 0; r < 6; ++r)
#pragma unroll
        for (int c = 0; c < 3; ++c)
          g[r][c] = given[first + r][threadIdx.x + c];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        // x[r][c] is in y[r - dy + 1][c - dx + 1], by weight (dy, dx).
        float sum = 0;
#pragma unroll
        for (int dy = 0; dy < 3; ++dy)
#pragma unroll
          for (int dx = 0; dx < 3; ++dx) {
            const float from = g[k + 2 - dy][2 - dx];
            sum += weights[3 * dy + dx] * from;
            sums[3 * dy + dx] += values[k] * from;
          }
        if (top + first + k < height && column < width)
          gx[(top + first + k) * width + column] = old[k] + sum;
      }
    }
  float eight[8];
#pragma unroll
  for (int k = 0; k < 8; ++k)
    eight[k] = sums[k];
  const int lane = threadIdx.x;
  const float some = by_hand::sums_of_warp(eight, lane), last = by_hand::sum_of_warp(sums[8]);
  if (lane % 4 == 0)
    atomicAdd(gw + channel * 9 + by_hand::number_of_lane(lane), some);
  if (lane == 1)
    atomicAdd(gw + channel * 9 + 8, last);
}
