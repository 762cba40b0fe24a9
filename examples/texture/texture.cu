// A texture with bilinear interpolation as a view of its own: its gradient goes through the interpolation, to the
// texels and to the place that is looked at.
#include <kernix/kernix.h>

/// Beyond the edge lies what lies on the edge.
struct Texture : kernix::DiffTensorView<float> {
  /// The texels around a place, and where it lies between them.
  struct Cell {
    int row, column;
    float down, right;
    bool moves_u, moves_v; // not beyond an edge
    __device__ Cell(const Texture &t, float u, float v) {
      float last_u = static_cast<float>(t.primal.size(1)) - 1.001f;
      float last_v = static_cast<float>(t.primal.size(0)) - 1.001f;
      moves_u = u > 0 && u < last_u, moves_v = v > 0 && v < last_v;
      u = fminf(fmaxf(u, 0), last_u);
      v = fminf(fmaxf(v, 0), last_v);
      row = static_cast<int>(v), column = static_cast<int>(u);
      down = v - static_cast<float>(row), right = u - static_cast<float>(column);
    }
    __device__ float weight(int k) const { return (k / 2 ? down : 1 - down) * (k % 2 ? right : 1 - right); }
  };

  __device__ float texel(const Cell &at, int k) const { return primal(at.row + k / 2, at.column + k % 2); }

  __device__ void sample_bwd(float u, float *gu, float v, float *gv, float g) const {
    Cell at(*this, u, v);
    if (at.moves_u)
      *gu += g * ((1 - at.down) * (texel(at, 1) - texel(at, 0)) + at.down * (texel(at, 3) - texel(at, 2)));
    if (at.moves_v)
      *gv += g * ((1 - at.right) * (texel(at, 2) - texel(at, 0)) + at.right * (texel(at, 3) - texel(at, 1)));
    if (!differential.data())
      return; // nobody wants the gradient of the texels
    for (int k = 0; k < 4; ++k)
      kernix::atomic_add(&differential(at.row + k / 2, at.column + k % 2), g * at.weight(k));
  }

  [[kernix::backward_derivative(&Texture::sample_bwd)]] __device__ float sample(float u, float v) const {
    Cell at(*this, u, v);
    float sum = 0;
    for (int k = 0; k < 4; ++k)
      sum += texel(at, k) * at.weight(k);
    return sum;
  }
};

/// Looks at the texture through an affine map, around its middle. All threads read the same six numbers.
[[kernix::bind, kernix::differentiable(backward), kernix::block(32, 8),
  kernix::grid("ceil_div(y.size(1), 32)", "ceil_div(y.size(0), 8)")]]
__global__ void look(const Texture texture, const kernix::DiffTensorViewAA<float> map,
                     [[kernix::shape("texture")]] kernix::DiffTensorViewAA<float> y) {
  uint3 at = kernix::global_index();
  if (at.x >= y.size(1) || at.y >= y.size(0))
    return;
  float middle_u = 0.5f * static_cast<float>(y.size(1)), middle_v = 0.5f * static_cast<float>(y.size(0));
  float u = static_cast<float>(at.x) - middle_u, v = static_cast<float>(at.y) - middle_v;
  float to_u = map.loadFixed(0) * u + map.loadFixed(1) * v + map.loadFixed(2);
  float to_v = map.loadFixed(3) * u + map.loadFixed(4) * v + map.loadFixed(5);
  y.store(make_uint2(at.y, at.x), texture.sample(to_u + middle_u, to_v + middle_v));
}
