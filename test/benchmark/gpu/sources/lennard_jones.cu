// test/benchmark/gpu/sources/lennard_jones.cu - forces and energies of the Lennard-Jones potential in a periodic box,
// with a list of neighbours of each particle. There are two kernels by hand: one takes any list, one knows that with j
// in the list of i there is also i in that of j, and needs no atomic additions.

#include "by_hand.h"

// x: places [n], w unused; neighbours [count, n] -> y: force and half the energies of the pairs [n]
[[kernix::bind, kernix::differentiable(backward), kernix::block(128), kernix::max_registers(64)]]
__global__ void forces(const float4 *x, const int *neighbours, [[kernix::shape("x.size(0)")]] float4 *y, float box,
                       float reach, [[kernix::value("x.size(0)")]] int n,
                       [[kernix::value("neighbours.size(0)")]] int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 here = x[i];
  const float inverse = 1 / box, limit = reach * reach;
  float fx = 0, fy = 0, fz = 0, energy = 0;
  // Four neighbours at a time are on their way.
  for (int some = 0; some < count; some += 4) {
    float3 r[4];
    float square[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float4 there = x[neighbours[min(some + k, count - 1) * n + i]];
      r[k] = make_float3(here.x - there.x, here.y - there.y, here.z - there.z);
      r[k].x = fmaf(-box, rintf(r[k].x * inverse), r[k].x);
      r[k].y = fmaf(-box, rintf(r[k].y * inverse), r[k].y);
      r[k].z = fmaf(-box, rintf(r[k].z * inverse), r[k].z);
      square[k] = r[k].x * r[k].x + r[k].y * r[k].y + r[k].z * r[k].z;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (square[k] >= limit || some + k >= count)
        continue;
      const float s = __frcp_rn(square[k]), s3 = s * s * s, along = (48 * s3 - 24) * s3 * s;
      fx += along * r[k].x;
      fy += along * r[k].y;
      fz += along * r[k].z;
      energy += 2 * (s3 - 1) * s3;
    }
  }
  y[i] = make_float4(fx, fy, fz, energy);
}

namespace {

struct Pair {
  float3 r;
  bool near;
  float along, change;

  /// `along`: the force along r; `change`: the derivative of `along` with respect to the square of r, twice.
  __device__ Pair(float4 a, float4 b, float box, float inverse_box, float square_of_reach) {
    r = make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
    r.x = fmaf(-box, rintf(r.x * inverse_box), r.x);
    r.y = fmaf(-box, rintf(r.y * inverse_box), r.y);
    r.z = fmaf(-box, rintf(r.z * inverse_box), r.z);
    const float square = r.x * r.x + r.y * r.y + r.z * r.z;
    near = square < square_of_reach;
    const float s = __frcp_rn(square), s3 = s * s * s, s4 = s3 * s;
    along = (48 * s3 - 24) * s4;
    change = (192 - 672 * s3) * s4 * s;
  }
};

} // namespace

[[kernix::bind, kernix::block(128), kernix::grid("ceil_div(x.size(0), block.x)")]]
__global__ void forces_forward_by_hand(const float4 *__restrict__ x, const int *__restrict__ neighbours,
                                       float4 *__restrict__ y, float box, float reach,
                                       [[kernix::value("x.size(0)")]] int n,
                                       [[kernix::value("neighbours.size(0)")]] int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 here = x[i];
  const float inverse = 1 / box, limit = reach * reach;
  float fx = 0, fy = 0, fz = 0, energy = 0;
#pragma unroll 4
  for (int k = 0; k < count; ++k) {
    const float4 there = x[neighbours[k * n + i]];
    float3 r = make_float3(here.x - there.x, here.y - there.y, here.z - there.z);
    r.x = fmaf(-box, rintf(r.x * inverse), r.x);
    r.y = fmaf(-box, rintf(r.y * inverse), r.y);
    r.z = fmaf(-box, rintf(r.z * inverse), r.z);
    const float square = r.x * r.x + r.y * r.y + r.z * r.z;
    if (square < limit) {
      const float s = __frcp_rn(square), s3 = s * s * s, along = (48 * s3 - 24) * s3 * s;
      fx += along * r.x;
      fy += along * r.y;
      fz += along * r.z;
      energy += 2 * (s3 - 1) * s3;
    }
  }
  y[i] = make_float4(fx, fy, fz, energy);
}

[[kernix::bind, kernix::block(128), kernix::grid("ceil_div(x.size(0), block.x)")]]
__global__ void forces_by_hand(const float4 *__restrict__ x, float4 *__restrict__ gx,
                               const int *__restrict__ neighbours, const float4 *__restrict__ gy, float box,
                               float reach, [[kernix::value("x.size(0)")]] int n,
                               [[kernix::value("neighbours.size(0)")]] int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 here = x[i], g = gy[i];
  const float inverse = 1 / box, limit = reach * reach;
  float sx = 0, sy = 0, sz = 0;
  // Four neighbours at a time are on their way.
  for (int some = 0; some < count; some += 4) {
    int j[4];
    float4 there[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      j[k] = neighbours[min(some + k, count - 1) * n + i];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      there[k] = x[j[k]];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const Pair pair(here, there[k], box, inverse, limit);
      if (!pair.near || some + k >= count)
        continue;
      const float3 r = pair.r;
      const float factor = pair.change * (g.x * r.x + g.y * r.y + g.z * r.z) - 0.5f * g.w * pair.along;
      const float px = pair.along * g.x + factor * r.x, py = pair.along * g.y + factor * r.y,
                  pz = pair.along * g.z + factor * r.z;
      sx += px, sy += py, sz += pz;
      by_hand::add(gx + j[k], -px, -py, -pz, 0);
    }
  }
  by_hand::add(gx + i, sx, sy, sz, 0);
}

// What the force on j gives to the gradient of i is gathered: the matrix of second derivatives of a pair is symmetric.
[[kernix::bind, kernix::block(128), kernix::grid("ceil_div(x.size(0), block.x)")]]
__global__ void forces_symmetric(const float4 *__restrict__ x, float4 *__restrict__ gx,
                                 const int *__restrict__ neighbours, const float4 *__restrict__ gy, float box,
                                 float reach, [[kernix::value("x.size(0)")]] int n,
                                 [[kernix::value("neighbours.size(0)")]] int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 here = x[i], g = gy[i];
  const float inverse = 1 / box, limit = reach * reach;
  float sx = 0, sy = 0, sz = 0;
#pragma unroll 4
  for (int k = 0; k < count; ++k) {
    const int j = neighbours[k * n + i];
    const Pair pair(here, x[j], box, inverse, limit);
    if (!pair.near)
      continue;
    const float3 r = pair.r;
    const float4 other = gy[j];
    const float dx = g.x - other.x, dy = g.y - other.y, dz = g.z - other.z;
    const float factor = pair.change * (dx * r.x + dy * r.y + dz * r.z) - 0.5f * (g.w + other.w) * pair.along;
    sx += pair.along * dx + factor * r.x;
    sy += pair.along * dy + factor * r.y;
    sz += pair.along * dz + factor * r.z;
  }
  by_hand::add_alone(gx + i, sx, sy, sz, 0);
}
