// test/benchmark/gpu/sources/hash_grid.cu - a multi-resolution hash grid: features of the eight corners around a point,
// interpolated, on several levels. Coarse levels are dense grids, fine ones share slots by a hash.

#include "by_hand.h"

namespace {

__device__ int slot_of(unsigned x, unsigned y, unsigned z, unsigned side, unsigned size) {
  if (side * side * side <= size)
    return static_cast<int>(x + side * (y + side * z));
  return static_cast<int>((x ^ (y * 2654435761u) ^ (z * 805459861u)) & (size - 1));
}

} // namespace

// x: points of the unit cube [n, 3], table: [levels, size] pairs, size a power of two -> y: [levels, n] pairs
[[kernix::bind, kernix::differentiable(backward), kernix::block(256),
  kernix::grid("ceil_div(x.size(0), block.x)", "table.size(0)")]]
__global__ void encode([[kernix::no_diff]] const float *x, const float2 *table,
                       [[kernix::shape("table.size(0)", "x.size(0)")]] float2 *y, float growth,
                       [[kernix::value("x.size(0)")]] int n, [[kernix::value("table.size(1)")]] int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, level = blockIdx.y;
  if (i >= n)
    return;
  const float scale = 16 * exp2f(level * growth) - 1;
  const unsigned side = static_cast<unsigned>(ceilf(scale)) + 1;
  const float px = x[3 * i] * scale, py = x[3 * i + 1] * scale, pz = x[3 * i + 2] * scale;
  const unsigned cx = static_cast<unsigned>(px), cy = static_cast<unsigned>(py), cz = static_cast<unsigned>(pz);
  const float u = px - floorf(px), v = py - floorf(py), w = pz - floorf(pz);
  float first = 0, second = 0;
  for (unsigned corner = 0; corner < 8; ++corner) {
    const unsigned ux = corner & 1, uy = corner >> 1 & 1, uz = corner >> 2;
    const float weight = (ux ? u : 1 - u) * (uy ? v : 1 - v) * (uz ? w : 1 - w);
    const float2 feature = table[level * size + slot_of(cx + ux, cy + uy, cz + uz, side, size)];
    first += weight * feature.x;
    second += weight * feature.y;
  }
  y[level * n + i] = make_float2(first, second);
}

namespace {

struct Cell {
  unsigned x, y, z, side;
  float u, v, w;
  __device__ Cell(const float *__restrict__ p, int level, float growth) {
    const float scale = 16 * exp2f(level * growth) - 1;
    side = static_cast<unsigned>(ceilf(scale)) + 1;
    u = p[0] * scale, v = p[1] * scale, w = p[2] * scale;
    x = static_cast<unsigned>(u), y = static_cast<unsigned>(v), z = static_cast<unsigned>(w);
    u -= x, v -= y, w -= z;
  }
  /// Slots and weights of the corners, with what they share computed once.
  template <class Each> __device__ void corners(unsigned size, Each &&each) const {
    const bool dense = side * side * side <= size;
    const unsigned stepy = dense ? side : 2654435761u, stepz = dense ? side * side : 805459861u;
    const unsigned xs[2] = {x, x + 1}, ys[2] = {y * stepy, (y + 1) * stepy}, zs[2] = {z * stepz, (z + 1) * stepz};
    const float us[2] = {1 - u, u};
    const float vw[4] = {(1 - v) * (1 - w), v * (1 - w), (1 - v) * w, v * w};
#pragma unroll
    for (int corner = 0; corner < 8; ++corner) {
      const unsigned a = xs[corner & 1], b = ys[corner >> 1 & 1], c = zs[corner >> 2];
      each(dense ? a + b + c : (a ^ b ^ c) & (size - 1), us[corner & 1] * vw[corner >> 1]);
    }
  }
};

} // namespace

[[kernix::bind, kernix::block(256), kernix::grid("ceil_div(x.size(0), block.x)", "table.size(0)")]]
__global__ void encode_forward_by_hand(const float *__restrict__ x, const float2 *__restrict__ table,
                                       float2 *__restrict__ y, float growth, [[kernix::value("x.size(0)")]] int n,
                                       [[kernix::value("table.size(1)")]] int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, level = blockIdx.y;
  if (i >= n)
    return;
  const float2 *features = table + static_cast<size_t>(level) * size;
  float first = 0, second = 0;
  Cell(x + 3 * i, level, growth).corners(size, [&](unsigned slot, float weight) {
    const float2 feature = features[slot];
    first += weight * feature.x;
    second += weight * feature.y;
  });
  y[level * n + i] = make_float2(first, second);
}

[[kernix::bind, kernix::block(256), kernix::grid("ceil_div(x.size(0), block.x)", "gtable.size(0)")]]
__global__ void encode_by_hand(const float *__restrict__ x, float2 *__restrict__ gtable, const float2 *__restrict__ gy,
                               float growth, [[kernix::value("x.size(0)")]] int n,
                               [[kernix::value("gtable.size(1)")]] int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, level = blockIdx.y;
  if (i >= n)
    return;
  const float2 g = gy[level * n + i];
  float2 *sums = gtable + static_cast<size_t>(level) * size;
  Cell(x + 3 * i, level, growth).corners(size, [&](unsigned slot, float weight) {
    by_hand::add(sums + slot, weight * g.x, weight * g.y);
  });
}
