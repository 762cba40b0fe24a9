// test/benchmark/gpu/sources/ssim.cu - structural similarity of two pictures, with the window of 11 x 11 weights of a
// Gaussian that it is defined with. The window is a product, so that rows are summed first and columns then.

#include "by_hand.h"

constexpr int RADIUS = 5, WINDOW = 2 * RADIUS + 1;

namespace {

/// Of a Gaussian with deviation 1.5, their sum is 1.
constexpr float WEIGHTS[WINDOW] = {0.001028380f, 0.007598758f, 0.036000773f, 0.109360687f, 0.213005543f, 0.266011718f,
                                   0.213005543f, 0.109360687f, 0.036000773f, 0.007598758f, 0.001028380f};
constexpr float C1 = 0.0001f, C2 = 0.0009f;

} // namespace

// -- the kernel -----------------------------------------------------------------------------------------------------

constexpr int TILE = 16, WIDE = TILE + 2 * RADIUS;

// x, the picture, and z, what it is compared with [planes, height, width] -> y: similarity at each pixel
[[kernix::bind, kernix::differentiable(backward), kernix::block(16, 16), kernix::max_registers(48),
  kernix::grid("ceil_div(x.size(2), 16)", "ceil_div(x.size(1), 16)", "x.size(0)")]]
__global__ void ssim(const float *x, [[kernix::no_diff]] const float *z, [[kernix::shape("x")]] float *y,
                     [[kernix::value("x.size(1)")]] int height, [[kernix::value("x.size(2)")]] int width) {
  __shared__ float a[WIDE][WIDE], b[WIDE][WIDE];
  __shared__ float sums[5][WIDE][TILE];
  const int thread = threadIdx.y * TILE + threadIdx.x;
  const int top = blockIdx.y * TILE, left = blockIdx.x * TILE, plane = blockIdx.z * height * width;
  for (int k = thread; k < WIDE * WIDE; k += TILE * TILE) {
    const int row = top + k / WIDE - RADIUS, column = left + k % WIDE - RADIUS;
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    a[k / WIDE][k % WIDE] = inside ? x[plane + row * width + column] : 0.0f;
    b[k / WIDE][k % WIDE] = inside ? z[plane + row * width + column] : 0.0f;
  }
  __syncthreads();
  for (int k = thread; k < WIDE * TILE; k += TILE * TILE) {
    const int row = k / TILE, column = k % TILE;
    float sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (int d = 0; d < WINDOW; ++d) {
      const float u = a[row][column + d], v = b[row][column + d];
      sa += WEIGHTS[d] * u;
      sb += WEIGHTS[d] * v;
      saa += WEIGHTS[d] * u * u;
      sbb += WEIGHTS[d] * v * v;
      sab += WEIGHTS[d] * u * v;
    }
    sums[0][row][column] = sa;
    sums[1][row][column] = sb;
    sums[2][row][column] = saa;
    sums[3][row][column] = sbb;
    sums[4][row][column] = sab;
  }
  __syncthreads();
  const int row = top + threadIdx.y, column = left + threadIdx.x;
  if (row >= height || column >= width)
    return;
  float m[5] = {};
  for (int d = 0; d < WINDOW; ++d)
    for (int k = 0; k < 5; ++k)
      m[k] += WEIGHTS[d] * sums[k][threadIdx.y + d][threadIdx.x];
  const float va = m[2] - m[0] * m[0], vb = m[3] - m[1] * m[1], cov = m[4] - m[0] * m[1];
  y[plane + row * width + column] =
      (2 * m[0] * m[1] + C1) * (2 * cov + C2) / ((m[0] * m[0] + m[1] * m[1] + C1) * (va + vb + C2));
}

// -- by hand --------------------------------------------------------------------------------------------------------
//
// Tiles of 32 x 32, four results at a time for each thread: along a row, then down a column, so that a number is read
// from shared memory once for four sums. The forward kernel keeps, if asked to, what the backward kernel needs:
// derivatives of the similarity by the three means that depend on x. That one smooths them, multiplied with the given
// gradient.

namespace {

constexpr int SIDE = 32, TALL = SIDE + 2 * RADIUS, PITCH = 44;

/// Weighted sums over the window of four neighbouring places, of 16 numbers that begin with the first place.
__device__ void smooth(const float (&v)[16], float (&sum)[4]) {
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    sum[k] = 0;
#pragma unroll
    for (int d = 0; d < WINDOW; ++d)
      sum[k] += WEIGHTS[d] * v[k + d];
  }
}

__device__ void read(const float *from, float (&v)[16]) {
#pragma unroll
  for (int k = 0; k < 4; ++k)
    *reinterpret_cast<float4 *>(v + 4 * k) = reinterpret_cast<const float4 *>(from)[k];
}

__device__ void write(float *to, const float (&sum)[4]) {
  *reinterpret_cast<float4 *>(to) = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

/// Down a column: 14 numbers for four sums.
__device__ void smooth_column(const float (&sums)[TALL][SIDE], int row, int column, float (&sum)[4]) {
  float v[16];
#pragma unroll
  for (int k = 0; k < 14; ++k)
    v[k] = sums[row + k][column];
  v[14] = v[15] = 0;
  smooth(v, sum);
}

struct Place {
  int thread, top, left, plane;
  __device__ Place(int height, int width)
      : thread(static_cast<int>(threadIdx.y * SIDE + threadIdx.x)), top(static_cast<int>(blockIdx.y) * SIDE),
        left(static_cast<int>(blockIdx.x) * SIDE), plane(static_cast<int>(blockIdx.z) * height * width) {}
};

} // namespace

[[kernix::bind, kernix::block(32, 8), kernix::grid("ceil_div(x.size(2), 32)", "ceil_div(x.size(1), 32)", "x.size(0)")]]
__global__ void __launch_bounds__(256, 3)
    ssim_forward_by_hand(const float *__restrict__ x, const float *__restrict__ z, float *__restrict__ y,
                         [[kernix::optional]] float *__restrict__ kept, [[kernix::value("x.size(0)")]] int planes,
                         [[kernix::value("x.size(1)")]] int height, [[kernix::value("x.size(2)")]] int width) {
  __shared__ __align__(16) float a[TALL][PITCH], b[TALL][PITCH];
  __shared__ __align__(16) float sums[5][TALL][SIDE];
  const Place place(height, width);
  for (int k = place.thread; k < TALL * PITCH; k += 256) {
    const int row = place.top + k / PITCH - RADIUS, column = place.left + k % PITCH - RADIUS;
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    a[k / PITCH][k % PITCH] = inside ? x[place.plane + row * width + column] : 0.0f;
    b[k / PITCH][k % PITCH] = inside ? z[place.plane + row * width + column] : 0.0f;
  }
  __syncthreads();
  for (int k = place.thread; k < TALL * (SIDE / 4); k += 256) {
    const int row = k / (SIDE / 4), column = k % (SIDE / 4) * 4;
    float u[16], v[16], product[16], sum[4];
    read(&a[row][column], u);
    read(&b[row][column], v);
    smooth(u, sum);
    write(&sums[0][row][column], sum);
    smooth(v, sum);
    write(&sums[1][row][column], sum);
#pragma unroll
    for (int d = 0; d < 16; ++d)
      product[d] = u[d] * u[d];
    smooth(product, sum);
    write(&sums[2][row][column], sum);
#pragma unroll
    for (int d = 0; d < 16; ++d)
      product[d] = v[d] * v[d];
    smooth(product, sum);
    write(&sums[3][row][column], sum);
#pragma unroll
    for (int d = 0; d < 16; ++d)
      product[d] = u[d] * v[d];
    smooth(product, sum);
    write(&sums[4][row][column], sum);
  }
  __syncthreads();
  float m[5][4];
#pragma unroll
  for (int k = 0; k < 5; ++k)
    smooth_column(sums[k], 4 * threadIdx.y, threadIdx.x, m[k]);
  const int column = place.left + threadIdx.x, size = planes * height * width;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int row = place.top + 4 * threadIdx.y + k;
    if (row >= height || column >= width)
      continue;
    const float ma = m[0][k], mb = m[1][k];
    const float va = m[2][k] - ma * ma, vb = m[3][k] - mb * mb, cov = m[4][k] - ma * mb;
    const float top = 2 * ma * mb + C1, right = 2 * cov + C2, below = ma * ma + mb * mb + C1, last = va + vb + C2;
    const float inverse = 1 / (below * last), value = top * right * inverse;
    const int at = place.plane + row * width + column;
    y[at] = value;
    if (kept) {
      const float by_variance = -value / last, by_covariance = 2 * top * inverse;
      kept[at] = 2 * mb * right * inverse - 2 * ma * value / below - 2 * ma * by_variance - mb * by_covariance;
      kept[size + at] = by_variance;
      kept[2 * size + at] = by_covariance;
    }
  }
}

[[kernix::bind, kernix::block(32, 8), kernix::grid("ceil_div(x.size(2), 32)", "ceil_div(x.size(1), 32)", "x.size(0)")]]
__global__ void __launch_bounds__(256)
    ssim_by_hand(const float *__restrict__ x, float *__restrict__ gx, const float *__restrict__ z,
                 const float *__restrict__ kept, const float *__restrict__ gy,
                 [[kernix::value("x.size(0)")]] int planes, [[kernix::value("x.size(1)")]] int height,
                 [[kernix::value("x.size(2)")]] int width) {
  __shared__ __align__(16) float given[3][TALL][PITCH];
  __shared__ __align__(16) float sums[3][TALL][SIDE];
  const Place place(height, width);
  const int size = planes * height * width;
  for (int k = place.thread; k < TALL * PITCH; k += 256) {
    const int row = place.top + k / PITCH - RADIUS, column = place.left + k % PITCH - RADIUS;
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    const int at = place.plane + row * width + column;
    const float g = inside ? gy[at] : 0.0f;
#pragma unroll
    for (int each = 0; each < 3; ++each)
      given[each][k / PITCH][k % PITCH] = inside ? g * kept[each * size + at] : 0.0f;
  }
  __syncthreads();
  for (int k = place.thread; k < TALL * (SIDE / 4); k += 256) {
    const int row = k / (SIDE / 4), column = k % (SIDE / 4) * 4;
#pragma unroll
    for (int each = 0; each < 3; ++each) {
      float v[16], sum[4];
      read(&given[each][row][column], v);
      smooth(v, sum);
      write(&sums[each][row][column], sum);
    }
  }
  __syncthreads();
  float m[3][4];
#pragma unroll
  for (int each = 0; each < 3; ++each)
    smooth_column(sums[each], 4 * threadIdx.y, threadIdx.x, m[each]);
  const int column = place.left + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int row = place.top + 4 * threadIdx.y + k;
    if (row >= height || column >= width)
      continue;
    const int at = place.plane + row * width + column;
    gx[at] += m[0][k] + 2 * x[at] * m[1][k] + z[at] * m[2][k];
  }
}
