// test/benchmark/gpu/sources/rows.cu - layer norm and softmax of rows of 1024 numbers: a block of 256 threads takes a
// row at a time, four neighbouring columns each, and as many blocks run as fit on the GPU at once.

#include "by_hand.h"

constexpr int THREADS = 256, COLUMNS = 4 * THREADS;

namespace {

/// Who comes to two sums in turn gives them two places: then one barrier is enough for each, since nobody is at the
/// next but one before all have left.
template <int Place> __device__ float sum_of_block(float v) {
  __shared__ float parts[THREADS / 32];
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, offset);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = v;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < THREADS / 32; ++k)
    sum += parts[k];
  return sum;
}

/// Once in a block.
__device__ float largest_of_block(float v) {
  __shared__ float parts[THREADS / 32];
  for (int offset = 16; offset > 0; offset /= 2)
    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = v;
  __syncthreads();
  for (int k = 0; k < THREADS / 32; ++k)
    v = fmaxf(v, parts[k]);
  return v;
}

} // namespace

// -- layer norm -----------------------------------------------------------------------------------------------------

// x [rows, 256] fours, scale, shift [256] fours -> y like x
[[kernix::bind, kernix::differentiable(backward), kernix::block(256), kernix::grid("min(x.size(0), 1056)")]]
__global__ void layer_norm(const float4 *x, const float4 *scale, const float4 *shift, [[kernix::shape("x")]] float4 *y,
                           [[kernix::value("x.size(0)")]] int rows) {
  const int column = threadIdx.x;
  const float4 a = scale[column], b = shift[column];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float4 v = x[row * THREADS + column];
    const float mean = sum_of_block<0>(v.x + v.y + v.z + v.w) / COLUMNS;
    v.x -= mean, v.y -= mean, v.z -= mean, v.w -= mean;
    const float variance = sum_of_block<1>(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w) / COLUMNS;
    const float r = rsqrtf(variance + 1e-5f);
    y[row * THREADS + column] =
        make_float4(v.x * r * a.x + b.x, v.y * r * a.y + b.y, v.z * r * a.z + b.z, v.w * r * a.w + b.w);
  }
}

namespace {

/// Sums of two numbers over the block, likewise.
template <int Place> __device__ float2 sums_of_block(float a, float b) {
  __shared__ float2 parts[THREADS / 32];
  a = by_hand::sum_of_warp(a);
  b = by_hand::sum_of_warp(b);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = make_float2(a, b);
  __syncthreads();
  float2 sum = make_float2(0, 0);
#pragma unroll
  for (int k = 0; k < THREADS / 32; ++k) {
    const float2 part = parts[k];
    sum.x += part.x;
    sum.y += part.y;
  }
  return sum;
}

} // namespace

[[kernix::bind, kernix::block(256), kernix::grid("min(x.size(0), 1056)")]]
__global__ void layer_norm_forward_by_hand(const float4 *__restrict__ x, const float4 *__restrict__ scale,
                                           const float4 *__restrict__ shift, float4 *__restrict__ y,
                                           [[kernix::value("x.size(0)")]] int rows) {
  const int column = threadIdx.x;
  const float4 a = scale[column], b = shift[column];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float4 v = x[row * THREADS + column];
    const float mean = sum_of_block<0>(v.x + v.y + v.z + v.w) / COLUMNS;
    v.x -= mean, v.y -= mean, v.z -= mean, v.w -= mean;
    const float r = rsqrtf(sum_of_block<1>(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w) / COLUMNS + 1e-5f);
    y[row * THREADS + column] =
        make_float4(v.x * r * a.x + b.x, v.y * r * a.y + b.y, v.z * r * a.z + b.z, v.w * r * a.w + b.w);
  }
}

// Mean and deviation of a row come from its sum and sum of squares about the first number, in one exchange; the two
// sums of the backward pass in another. The next row is asked for before this one is done.
[[kernix::bind, kernix::block(256), kernix::grid("min(x.size(0), 528)")]]
__global__ void __launch_bounds__(256, 4)
    layer_norm_by_hand(const float4 *__restrict__ x, float4 *__restrict__ gx, const float4 *__restrict__ scale,
                       float4 *__restrict__ gscale, float4 *__restrict__ gshift, const float4 *__restrict__ gy,
                       [[kernix::value("x.size(0)")]] int rows) {
  const int column = threadIdx.x;
  const float4 a = scale[column];
  float4 sa = make_float4(0, 0, 0, 0), sb = sa;
  int row = blockIdx.x;
  float4 v = x[row * THREADS + column], g = gy[row * THREADS + column];
  float next_origin = x[row * THREADS].x;
  while (row < rows) {
    const float origin = next_origin;
    const int next = row + gridDim.x, ahead = min(next, rows - 1) * THREADS + column;
    const float4 next_v = x[ahead], next_g = gy[ahead];
    next_origin = x[ahead - column].x;
    const float4 old = gx[row * THREADS + column];
    v.x -= origin, v.y -= origin, v.z -= origin, v.w -= origin;
    const float2 moments = sums_of_block<0>(v.x + v.y + v.z + v.w, v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
    const float mean = moments.x / COLUMNS, r = rsqrtf(moments.y / COLUMNS - mean * mean + 1e-5f);
    v.x = (v.x - mean) * r, v.y = (v.y - mean) * r, v.z = (v.z - mean) * r, v.w = (v.w - mean) * r;
    sa.x += g.x * v.x, sa.y += g.y * v.y, sa.z += g.z * v.z, sa.w += g.w * v.w;
    sb.x += g.x, sb.y += g.y, sb.z += g.z, sb.w += g.w;
    g.x *= a.x, g.y *= a.y, g.z *= a.z, g.w *= a.w;
    const float2 sums = sums_of_block<1>(g.x + g.y + g.z + g.w, g.x * v.x + g.y * v.y + g.z * v.z + g.w * v.w);
    const float flat = sums.x / COLUMNS, along = sums.y / COLUMNS;
    gx[row * THREADS + column] =
        make_float4(old.x + r * (g.x - flat - v.x * along), old.y + r * (g.y - flat - v.y * along),
                    old.z + r * (g.z - flat - v.z * along), old.w + r * (g.w - flat - v.w * along));
    v = next_v, g = next_g, row = next;
  }
  by_hand::add(gscale + column, sa.x, sa.y, sa.z, sa.w);
  by_hand::add(gshift + column, sb.x, sb.y, sb.z, sb.w);
}

// -- softmax --------------------------------------------------------------------------------------------------------

// x [rows, 256] fours -> y like x
[[kernix::bind, kernix::differentiable(backward), kernix::block(256), kernix::grid("x.size(0)")]]
__global__ void softmax(const float4 *x, [[kernix::shape("x")]] float4 *y) {
  const int at = blockIdx.x * THREADS + threadIdx.x;
  float4 v = x[at];
  // The result does not depend on what is subtracted.
  [[kernix::no_diff]] const float largest = largest_of_block(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  v = make_float4(expf(v.x - largest), expf(v.y - largest), expf(v.z - largest), expf(v.w - largest));
  const float inverse = 1 / sum_of_block<0>(v.x + v.y + v.z + v.w);
  y[at] = make_float4(v.x * inverse, v.y * inverse, v.z * inverse, v.w * inverse);
}

[[kernix::bind, kernix::block(256), kernix::grid("x.size(0)")]]
__global__ void softmax_forward_by_hand(const float4 *__restrict__ x, float4 *__restrict__ y) {
  const int at = blockIdx.x * THREADS + threadIdx.x;
  float4 v = x[at];
  const float largest = largest_of_block(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  v = make_float4(__expf(v.x - largest), __expf(v.y - largest), __expf(v.z - largest), __expf(v.w - largest));
  const float inverse = 1 / sum_of_block<0>(v.x + v.y + v.z + v.w);
  y[at] = make_float4(v.x * inverse, v.y * inverse, v.z * inverse, v.w * inverse);
}

// From the result of the forward pass.
[[kernix::bind, kernix::block(256), kernix::grid("y.size(0)")]]
__global__ void softmax_by_hand(const float4 *__restrict__ y, float4 *__restrict__ gx, const float4 *__restrict__ gy) {
  const int at = blockIdx.x * THREADS + threadIdx.x;
  const float4 v = y[at], g = gy[at], old = gx[at];
  const float sum = sum_of_block<0>(g.x * v.x + g.y * v.y + g.z * v.z + g.w * v.w);
  gx[at] = make_float4(old.x + v.x * (g.x - sum), old.y + v.y * (g.y - sum), old.z + v.z * (g.z - sum),
                       old.w + v.w * (g.w - sum));
}
