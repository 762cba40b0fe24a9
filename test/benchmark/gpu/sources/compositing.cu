// test/benchmark/gpu/sources/compositing.cu - `composite` of examples/splatting by hand: ellipses drawn from front to
// back. Each tile of 16 x 16 pixels has a list of those that reach it, sorted by depth; its block stages them in shared
// memory, 256 at a time, as two float4 and a float: (centre, conic xx and xy), (conic yy, opacity, red, green), (blue).
//
// The forward kernel keeps, if asked to, how much light is left behind the last one and how many each pixel has looked
// at. The backward kernel walks from there to the front: the light before an ellipse is that behind it, divided by
// 1 - alpha.

#include "by_hand.h"

constexpr int SIDE = 16, BATCH = SIDE * SIDE;
constexpr float OPAQUE = 0.99f, FAINT = 1.0f / 255, REST = 1e-4f;

namespace {

struct Staged {
  float4 place[BATCH], paint[BATCH];
  float blue[BATCH];
  __device__ void load(int at, int member, const float2 *__restrict__ centres, const float3 *__restrict__ conics,
                       const float *__restrict__ opacities, const float3 *__restrict__ colours) {
    const float2 c = centres[member];
    const float3 q = conics[member], p = colours[member];
    place[at] = make_float4(c.x, c.y, q.x, q.y);
    paint[at] = make_float4(q.z, opacities[member], p.x, p.y);
    blue[at] = p.z;
  }
};

} // namespace

[[kernix::bind, kernix::block(16, 16), kernix::grid("ceil_div(picture.size(1), 16)", "ceil_div(picture.size(0), 16)")]]
__global__ void __launch_bounds__(256)
    composite_forward_by_hand(const float2 *__restrict__ centres, const float3 *__restrict__ conics,
                              const float *__restrict__ opacities, const float3 *__restrict__ colours,
                              const int *__restrict__ first, const int *__restrict__ members,
                              float3 *__restrict__ picture, [[kernix::optional]] float *__restrict__ left_over,
                              [[kernix::optional]] int *__restrict__ looked_at,
                              [[kernix::value("picture.size(0)")]] int height,
                              [[kernix::value("picture.size(1)")]] int width) {
  __shared__ Staged staged;
  const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  const int thread = threadIdx.y * SIDE + threadIdx.x, tile = blockIdx.y * gridDim.x + blockIdx.x;
  const bool inside = x < width && y < height;
  const int begin = first[tile], end = first[tile + 1];
  const float px = x + 0.5f, py = y + 0.5f;
  bool done = !inside;
  int last = 0;
  float left = 1, red = 0, green = 0, blue = 0;
  for (int start = begin; start < end; start += BATCH) {
    if (__syncthreads_and(done))
      break;
    if (start + thread < end)
      staged.load(thread, members[start + thread], centres, conics, opacities, colours);
    __syncthreads();
    const int count = min(BATCH, end - start);
    for (int k = 0; k < count && !done; ++k) {
      const float4 a = staged.place[k], b = staged.paint[k];
      const float dx = a.x - px, dy = a.y - py;
      const float power = -0.5f * (a.z * dx * dx + b.x * dy * dy) - a.w * dx * dy;
      const float alpha = fminf(OPAQUE, b.y * __expf(power));
      if (power > 0 || alpha < FAINT)
        continue;
      const float next = left * (1 - alpha);
      if (next < REST) {
        done = true;
        break;
      }
      const float weight = left * alpha;
      red += weight * b.z;
      green += weight * b.w;
      blue += weight * staged.blue[k];
      left = next;
      last = start + k + 1 - begin;
    }
  }
  if (inside) {
    picture[y * width + x] = make_float3(red, green, blue);
    if (left_over) {
      left_over[y * width + x] = left;
      looked_at[y * width + x] = last;
    }
  }
}

[[kernix::bind, kernix::block(16, 16),
  kernix::grid("ceil_div(gpicture.size(1), 16)", "ceil_div(gpicture.size(0), 16)")]]
__global__ void __launch_bounds__(256)
    composite_by_hand(const float2 *__restrict__ centres, float *__restrict__ gcentres,
                      const float3 *__restrict__ conics, float *__restrict__ gconics,
                      const float *__restrict__ opacities, float *__restrict__ gopacities,
                      const float3 *__restrict__ colours, float *__restrict__ gcolours, const int *__restrict__ first,
                      const int *__restrict__ members, const float *__restrict__ left_over,
                      const int *__restrict__ looked_at, const float3 *__restrict__ gpicture,
                      [[kernix::value("gpicture.size(0)")]] int height,
                      [[kernix::value("gpicture.size(1)")]] int width) {
  __shared__ Staged staged;
  __shared__ int member[BATCH];
  __shared__ int longest;
  const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  const int thread = threadIdx.y * SIDE + threadIdx.x, tile = blockIdx.y * gridDim.x + blockIdx.x;
  const int lane = thread % 32, begin = first[tile];
  const bool inside = x < width && y < height;
  const float px = x + 0.5f, py = y + 0.5f;
  const int mine = inside ? looked_at[y * width + x] : 0;
  float left = inside ? left_over[y * width + x] : 1;
  const float3 g = inside ? gpicture[y * width + x] : make_float3(0, 0, 0);
  if (thread == 0)
    longest = 0;
  __syncthreads();
  int of_warp = mine;
  for (int offset = 16; offset > 0; offset /= 2)
    of_warp = max(of_warp, __shfl_xor_sync(by_hand::EVERYBODY, of_warp, offset));
  if (lane == 0)
    atomicMax(&longest, of_warp);
  __syncthreads();
  // The light that comes from behind, along g.
  float behind = 0;
  for (int stop = longest; stop > 0; stop -= BATCH) {
    const int count = min(BATCH, stop);
    __syncthreads();
    // The last one first.
    if (thread < count) {
      member[thread] = members[begin + stop - 1 - thread];
      staged.load(thread, member[thread], centres, conics, opacities, colours);
    }
    __syncthreads();
    for (int k = max(0, stop - of_warp); k < count; ++k) {
      const float4 a = staged.place[k], b = staged.paint[k];
      const float dx = a.x - px, dy = a.y - py;
      const float power = -0.5f * (a.z * dx * dx + b.x * dy * dy) - a.w * dx * dy;
      const float shape = __expf(power), full = b.y * shape, alpha = fminf(OPAQUE, full);
      const bool counts = stop - 1 - k < mine && power <= 0 && alpha >= FAINT;
      if (!__any_sync(by_hand::EVERYBODY, counts))
        continue;
      float parts[8] = {}, gblue = 0;
      if (counts) {
        const float inverse = __fdividef(1.0f, 1 - alpha);
        left *= inverse;
        const float weight = left * alpha, painted = g.x * b.z + g.y * b.w + g.z * staged.blue[k];
        const float galpha = left * painted - behind * inverse;
        behind += weight * painted;
        const float gfull = full < OPAQUE ? galpha : full == OPAQUE ? galpha / 2 : 0, gpower = gfull * full;
        parts[0] = -gpower * (a.z * dx + a.w * dy);
        parts[1] = -gpower * (b.x * dy + a.w * dx);
        parts[2] = -0.5f * gpower * dx * dx;
        parts[3] = -gpower * dx * dy;
        parts[4] = -0.5f * gpower * dy * dy;
        parts[5] = gfull * shape;
        parts[6] = weight * g.x;
        parts[7] = weight * g.y;
        gblue = weight * g.z;
      }
      const float sum = by_hand::sums_of_warp(parts, lane), sum_blue = by_hand::sum_of_warp(gblue);
      const int id = member[k], number = by_hand::number_of_lane(lane);
      // Eight lanes with a sum each, and one more with the last.
      if (lane % 4 == 0) {
        float *to = number < 2    ? gcentres + 2 * id + number
                    : number < 5  ? gconics + 3 * id + number - 2
                    : number == 5 ? gopacities + id
                                  : gcolours + 3 * id + number - 6;
        atomicAdd(to, sum);
      } else if (lane == 1) {
        atomicAdd(gcolours + 3 * id + 2, sum_blue);
      }
    }
  }
}
