// Features of places in a picture, from tables on several levels. A level is a grid of squares; a place gets the
// features of the four corners around it, interpolated. Coarse grids have a slot for each corner, in fine ones corners
// share slots, found by a hash: training gives the slot to the one that needs it.

#include <kernix/kernix.h>

/// places in the unit square [n], table [levels, size] pairs of features, size a power of two -> features [n, levels]
/// pairs. Level l has coarsest * growth^l squares along a side.
[[kernix::bind, kernix::differentiable(backward), kernix::block(256),
  kernix::grid("ceil_div(places.size(0), block.x)", "table.size(0)")]]
__global__ void encode([[kernix::no_diff]] const float2 *places, const float2 *table,
                       [[kernix::shape("places.size(0)", "table.size(0)")]] float2 *features, float coarsest,
                       float growth, [[kernix::value("places.size(0)")]] int n,
                       [[kernix::value("table.size(0)")]] int levels, [[kernix::value("table.size(1)")]] int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, level = blockIdx.y;
  if (i >= n)
    return;
  const unsigned squares = static_cast<unsigned>(coarsest * powf(growth, level));
  const float x = places[i].x * squares, y = places[i].y * squares;
  const unsigned column = static_cast<unsigned>(x), row = static_cast<unsigned>(y);
  const float u = x - column, v = y - row;
  float2 sum = make_float2(0, 0);
  for (unsigned corner = 0; corner < 4; ++corner) {
    const unsigned right = corner & 1, below = corner >> 1;
    unsigned slot = column + right + (row + below) * (squares + 1);
    if ((squares + 1) * (squares + 1) > size)
      slot = ((column + right) ^ ((row + below) * 2654435761u)) & (size - 1);
    const float weight = (right ? u : 1 - u) * (below ? v : 1 - v);
    const float2 feature = table[level * size + slot];
    sum.x += weight * feature.x;
    sum.y += weight * feature.y;
  }
  features[i * levels + level] = sum;
}
