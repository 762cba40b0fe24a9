// Bilateral filter of a colour photograph: every pixel becomes the mean of its neighbours, weighted by how near they
// are in the picture and in colour. Smooths surfaces and keeps edges.
//
// A block loads its pixels and a border of `radius` pixels around them into shared memory once; each is then read by up
// to (2 * radius + 1)^2 threads.

#include <kernix/kernix.h>

__device__ inline int clamp(int value, int last) { return value < 0 ? 0 : value > last ? last : value; }

__device__ inline float square(float value) { return value * value; }

/// Bilateral filter with standard deviations in pixels (sigma_space) and in colour levels (sigma_color).
[[kernix::bind, kernix::block(16, 16),
  kernix::grid("ceil_div(photo.size(1), block.x)", "ceil_div(photo.size(0), block.y)"),
  kernix::shared_bytes("(block.x + 2 * radius) * (block.y + 2 * radius) * 3")]]
__global__ void bilateral(kernix::TensorView<const uchar3> photo,
                          [[kernix::shape("photo.size(0)", "photo.size(1)")]] kernix::TensorView<uchar3> filtered,
                          int radius, float sigma_space, float sigma_color) {
  extern __shared__ uchar3 tile[];
  const int height = photo.size(0), width = photo.size(1);
  const int tile_width = blockDim.x + 2 * radius, tile_height = blockDim.y + 2 * radius;
  const int left = blockIdx.x * blockDim.x - radius, top = blockIdx.y * blockDim.y - radius;

  for (int row = threadIdx.y; row < tile_height; row += blockDim.y)
    for (int column = threadIdx.x; column < tile_width; column += blockDim.x)
      tile[row * tile_width + column] = photo(clamp(top + row, height - 1), clamp(left + column, width - 1));
  __syncthreads();

  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;

  const float space = -0.5f / square(sigma_space), color = -0.5f / square(sigma_color);
  const uchar3 center = tile[(threadIdx.y + radius) * tile_width + threadIdx.x + radius];
  float red = 0.0f, green = 0.0f, blue = 0.0f, total = 0.0f;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const uchar3 other = tile[(threadIdx.y + radius + dy) * tile_width + threadIdx.x + radius + dx];
      const float distance = square(other.x - center.x) + square(other.y - center.y) + square(other.z - center.z);
      const float weight = expf(space * (dx * dx + dy * dy) + color * distance);
      red += weight * other.x;
      green += weight * other.y;
      blue += weight * other.z;
      total += weight;
    }
  filtered(y, x) = make_uchar3(rintf(red / total), rintf(green / total), rintf(blue / total));
}
