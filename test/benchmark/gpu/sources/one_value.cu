// test/benchmark/gpu/sources/one_value.cu - a value that every thread reads.

#include "by_hand.h"

// x [n], w [1] -> y [n]
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void one_value(const float *x, const float *w, [[kernix::shape("x")]] float *y,
                          [[kernix::value("x.size(0)")]] int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[0] * x[i] * x[i];
}

// Four elements at a time; n is a multiple of four.
[[kernix::bind, kernix::block(256), kernix::grid("ceil_div(x.size(0), 4 * block.x)")]]
__global__ void one_value_forward_by_hand(const float *__restrict__ x, const float *__restrict__ w,
                                          float *__restrict__ y, [[kernix::value("x.size(0)")]] int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4)
    return;
  const float4 v = reinterpret_cast<const float4 *>(x)[i];
  const float a = *w;
  reinterpret_cast<float4 *>(y)[i] = make_float4(a * v.x * v.x, a * v.y * v.y, a * v.z * v.z, a * v.w * v.w);
}

// As many blocks as run at a time, each with one addition to the gradient of the value.
[[kernix::bind, kernix::block(256), kernix::grid("min(1056, ceil_div(x.size(0), 4 * block.x))")]]
__global__ void one_value_by_hand(const float *__restrict__ x, float *__restrict__ gx, const float *__restrict__ w,
                                  float *__restrict__ gw, const float *__restrict__ gy,
                                  [[kernix::value("x.size(0)")]] int n) {
  const float a = 2 * *w;
  float sum = 0;
#pragma unroll 2
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const float4 v = reinterpret_cast<const float4 *>(x)[i], g = reinterpret_cast<const float4 *>(gy)[i];
    by_hand::add_alone(reinterpret_cast<float4 *>(gx) + i, a * g.x * v.x, a * g.y * v.y, a * g.z * v.z, a * g.w * v.w);
    sum += g.x * v.x * v.x + g.y * v.y * v.y + g.z * v.z * v.z + g.w * v.w * v.w;
  }
  by_hand::add_over_block(sum, gw);
}
