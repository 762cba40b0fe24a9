// Gaussians in space, seen by a camera, differentiable in every parameter of theirs.
//
// `project` makes ellipses in the picture of them, `composite` draws these from front to back. Which ellipses reach a
// tile of 16 x 16 pixels, sorted by depth, is decided in between (tiles.py) and not differentiated.

#include <kernix/kernix.h>

/// Where Gaussians lie in the picture: centres in pixels, the inverse of the covariance (xx, xy, yy), opacities.
/// `sizes` are logarithms of standard deviations, `turns` quaternions of any length, `logits` those of opacities;
/// `view` turns and shifts a place to the coordinates of the camera [3, 4].
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void project(const float3 *places, const float3 *sizes, const float4 *turns, const float *logits,
                        [[kernix::no_diff]] const float *view, [[kernix::shape("places.size(0)")]] float2 *centres,
                        [[kernix::shape("places.size(0)")]] float3 *conics,
                        [[kernix::shape("places.size(0)")]] float *opacities, float focal, float middle_x,
                        float middle_y, [[kernix::value("places.size(0)")]] int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float3 place = places[i], size = sizes[i];
  const float x = view[0] * place.x + view[1] * place.y + view[2] * place.z + view[3];
  const float y = view[4] * place.x + view[5] * place.y + view[6] * place.z + view[7];
  const float z = view[8] * place.x + view[9] * place.y + view[10] * place.z + view[11];
  if (z < 0.2f) { // behind the camera or too close
    centres[i] = make_float2(0, 0);
    conics[i] = make_float3(1, 0, 1);
    opacities[i] = 0;
    return;
  }

  float4 q = turns[i];
  const float inverse_length = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  q.x *= inverse_length, q.y *= inverse_length, q.z *= inverse_length, q.w *= inverse_length;
  const float axes[3][3] = {
      {1 - 2 * (q.z * q.z + q.w * q.w), 2 * (q.y * q.z - q.x * q.w), 2 * (q.y * q.w + q.x * q.z)},
      {2 * (q.y * q.z + q.x * q.w), 1 - 2 * (q.y * q.y + q.w * q.w), 2 * (q.z * q.w - q.x * q.y)},
      {2 * (q.y * q.w - q.x * q.z), 2 * (q.z * q.w + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)}};
  const float deviation[3] = {expf(size.x), expf(size.y), expf(size.z)};

  // The axes, scaled, go through the turn of the camera and the derivative of the perspective at the centre.
  const float scale = focal / z, u = x / z, v = y / z;
  float xx = 0.3f, xy = 0, yy = 0.3f; // no ellipse is smaller than a pixel
  for (int axis = 0; axis < 3; ++axis) {
    float seen[3];
    for (int k = 0; k < 3; ++k)
      seen[k] = deviation[axis] *
                (view[4 * k] * axes[0][axis] + view[4 * k + 1] * axes[1][axis] + view[4 * k + 2] * axes[2][axis]);
    const float across = scale * (seen[0] - u * seen[2]), down = scale * (seen[1] - v * seen[2]);
    xx += across * across;
    xy += across * down;
    yy += down * down;
  }
  const float inverse = 1 / (xx * yy - xy * xy);
  centres[i] = make_float2(focal * u + middle_x, focal * v + middle_y);
  conics[i] = make_float3(yy * inverse, -xy * inverse, xx * inverse);
  opacities[i] = 1 / (1 + expf(-logits[i]));
}

constexpr int SIDE = 16, BATCH = SIDE * SIDE;

/// The picture: each pixel takes the colours of the ellipses that it lies in, the first one first, until no light is
/// left. Each thread is a pixel; the block stages the tile's ellipses in shared memory. `first` has the start of each
/// tile's part of `members`, and the end.
[[kernix::bind, kernix::differentiable(backward), kernix::block(16, 16), kernix::max_registers(40),
  kernix::grid("ceil_div(width, 16)", "ceil_div(height, 16)")]]
__global__ void composite(const float2 *centres, const float3 *conics, const float *opacities, const float3 *colours,
                          const int *first, const int *members, [[kernix::shape("height", "width")]] float3 *picture,
                          int height, int width) {
  // (centre, conic xx and xy), (conic yy, opacity, red and green), blue: three reads for an ellipse.
  __shared__ float4 place[BATCH], paint[BATCH];
  __shared__ float blues[BATCH];
  const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  const int thread = threadIdx.y * SIDE + threadIdx.x, tile = blockIdx.y * gridDim.x + blockIdx.x;
  const bool inside = x < width && y < height;
  const int end = first[tile + 1];
  bool done = !inside;
  float left = 1, red = 0, green = 0, blue = 0;
  for (int start = first[tile]; start < end; start += BATCH) {
    if (__syncthreads_and(done))
      break;
    if (start + thread < end) {
      const int member = members[start + thread];
      const float2 centre = centres[member];
      const float3 conic = conics[member], colour = colours[member];
      place[thread] = make_float4(centre.x, centre.y, conic.x, conic.y);
      paint[thread] = make_float4(conic.z, opacities[member], colour.x, colour.y);
      blues[thread] = colour.z;
    }
    __syncthreads();
    const int count = min(BATCH, end - start);
    for (int k = 0; k < count && !done; ++k) {
      const float4 p = place[k], q = paint[k];
      const float dx = p.x - (x + 0.5f), dy = p.y - (y + 0.5f);
      const float power = -0.5f * (p.z * dx * dx + q.x * dy * dy) - p.w * dx * dy;
      const float alpha = fminf(0.99f, q.y * __expf(power));
      if (power > 0 || alpha < 1.0f / 255)
        continue;
      const float next = left * (1 - alpha);
      if (next < 1e-4f) {
        done = true;
        break;
      }
      const float weight = left * alpha;
      red += weight * q.z;
      green += weight * q.w;
      blue += weight * blues[k];
      left = next;
    }
  }
  if (inside)
    picture[y * width + x] = make_float3(red, green, blue);
}
