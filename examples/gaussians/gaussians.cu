// A picture as a sum of coloured ellipses with soft edges, differentiable in every parameter of theirs.
//
// A block draws one tile of 16 x 16 pixels. Which ellipses reach a tile is decided outside (gaussians.py) and given as
// a list; it is not differentiated.

#include <kernix/kernix.h>

/// Centre in pixels, logarithms of the standard deviations along its axes, angle of the first axis.
struct Ellipse {
  float x, y, log_width, log_height, angle;
};

/// The picture: for each pixel the sum of colours, weighted by a Gaussian of its place. `first` has the start of each
/// tile's part of `members`, and the end.
[[kernix::bind, kernix::differentiable, kernix::block(16, 16),
  kernix::grid("ceil_div(width, block.x)", "ceil_div(height, block.y)")]]
__global__ void draw(const Ellipse *ellipses, const float3 *colors, const int *first, const int *members,
                     [[kernix::shape("height", "width")]] float3 *picture, int height, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const int tile = blockIdx.y * gridDim.x + blockIdx.x;
  float red = 0, green = 0, blue = 0;
  for (int k = first[tile]; k < first[tile + 1]; ++k) {
    const Ellipse e = ellipses[members[k]];
    const float3 color = colors[members[k]];
    const float dx = x + 0.5f - e.x, dy = y + 0.5f - e.y;
    const float c = cosf(e.angle), s = sinf(e.angle);
    const float u = (c * dx + s * dy) * expf(-e.log_width), v = (c * dy - s * dx) * expf(-e.log_height);
    const float weight = expf(-0.5f * (u * u + v * v));
    red += weight * color.x;
    green += weight * color.y;
    blue += weight * color.z;
  }
  picture[y * width + x] = make_float3(red, green, blue);
}
