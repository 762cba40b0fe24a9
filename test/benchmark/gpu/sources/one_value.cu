// test/benchmark/gpu/sources/one_value.cu - a value that every thread reads. Each thread has four elements.

#include "by_hand.h"

// x [n] fours, w [1] -> y [n] fours
[[kernix::bind, kernix::differentiable(backward), kernix::block(256), kernix::grid("ceil_div(x.size(0), block.x)")]]
__global__ void one_value(const float4 *x, const float *w, [[kernix::shape("x.size(0)")]] float4 *y,
                          [[kernix::value("x.size(0)")]] int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 v = x[i];
  const float a = *w;
  y[i] = make_float4(a * v.x * v.x, a * v.y * v.y, a * v.z * v.z, a * v.w * v.w);
}

[[kernix::bind, kernix::block(256), kernix::grid("ceil_div(x.size(0), block.x)")]]
__global__ void one_value_forward_by_hand(const float4 *__restrict__ x, const float *__restrict__ w,
                                          float4 *__restrict__ y, [[kernix::value("x.size(0)")]] int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 v = x[i];
  const float a = *w;
  y[i] = make_float4(a * v.x * v.x, a * v.y * v.y, a * v.z * v.z, a * v.w * v.w);
}

// As many blocks as run at a time, each with one addition to the gradient of the value.
[[kernix::bind, kernix::block(256), kernix::grid("min(1056, ceil_div(x.size(0), block.x))")]]
__global__ void one_value_by_hand(const float4 *__restrict__ x, float4 *__restrict__ gx, const float *__restrict__ w,
                                  float *__restrict__ gw, const float4 *__restrict__ gy,
                                  [[kernix::value("x.size(0)")]] int n) {
  const float a = 2 * *w;
  float sum = 0;
#pragma unroll 2
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = x[i], g = gy[i];
    by_hand::add_alone(gx + i, a * g.x * v.x, a * g.y * v.y, a * g.z * v.z, a * g.w * v.w);
    sum += g.x * v.x * v.x + g.y * v.y * v.y + g.z * v.z * v.z + g.w * v.w * v.w;
  }
  by_hand::add_over_block(sum, gw);
}
