// test/benchmark/gpu/sources/derivatives.cu - differentiated kernels and their backward kernels written by hand, with
// the same contract: the cotangent of the output is read, gradients are added to. derivative_time.py times them in
// turns.
//
// A twin is what one would write who knows the formula: nothing is computed or loaded twice, sums stay in registers,
// threads own their elements, and what many threads add to is reduced over the block first.

#include <kernix/kernix.h>

#define INDEX static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)
#define COUNT [[kernix::value("x.size(0)")]] int n

namespace {

/// Adds v of all threads of the block to *to, with one atomic addition. All threads call it.
__device__ void add_over_block(float v, float *to) {
  __shared__ float parts[32];
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32)
    return;
  v = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, offset);
  if (threadIdx.x == 0)
    atomicAdd(to, v);
}

} // namespace

// -- a map ----------------------------------------------------------------------------------------------------------

// x, y [n] -> z [n]
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void blend(const float *x, const float *y, [[kernix::shape("x")]] float *z, float a, COUNT) {
  int i = INDEX;
  if (i < n)
    z[i] = a * x[i] * y[i] + (1 - a) * y[i];
}

[[kernix::bind, kernix::block(256)]]
__global__ void blend_by_hand(const float *__restrict__ x, float *__restrict__ gx, const float *__restrict__ y,
                              float *__restrict__ gy, const float *__restrict__ gz, float a, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float g = gz[i];
  gx[i] += g * a * y[i];
  gy[i] += g * (a * x[i] + (1 - a));
}

// -- a map with parameters that all threads share -------------------------------------------------------------------

// x [n] -> z [n]
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void affine(const float *x, [[kernix::shape("x")]] float *z, [[kernix::diff]] float a,
                       [[kernix::diff]] float b, COUNT) {
  int i = INDEX;
  if (i < n)
    z[i] = a * x[i] + b;
}

// As many blocks as run at a time, so that there are few additions to the gradients of the scalars. n is a multiple
// of 4.
[[kernix::bind, kernix::block(256), kernix::grid("min(1056, ceil_div(x.size(0), 4 * block.x))")]]
__global__ void affine_by_hand(const float *__restrict__ x, float *__restrict__ gx, const float *__restrict__ gz,
                               float a, float *__restrict__ ga, float *__restrict__ gb, COUNT) {
  float sum = 0, products = 0;
#pragma unroll 2
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    float4 g = reinterpret_cast<const float4 *>(gz)[i], v = reinterpret_cast<const float4 *>(x)[i];
    float4 *to = reinterpret_cast<float4 *>(gx) + i, old = *to;
    *to = make_float4(old.x + g.x * a, old.y + g.y * a, old.z + g.z * a, old.w + g.w * a);
    products += g.x * v.x + g.y * v.y + g.z * v.z + g.w * v.w;
    sum += g.x + g.y + g.z + g.w;
  }
  add_over_block(products, ga);
  add_over_block(sum, gb);
}

// -- covariance of a Gaussian ---------------------------------------------------------------------------------------

// x: quaternions (w, x, y, z) [n, 4], s: logarithms of scales [n, 3] -> c: upper triangle of R S S R^T [n, 6]
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void covariance(const float *x, const float *s, [[kernix::shape("n", "6")]] float *c, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float w = x[4 * i], a = x[4 * i + 1], b = x[4 * i + 2], d = x[4 * i + 3];
  float r = rsqrtf(w * w + a * a + b * b + d * d);
  w *= r, a *= r, b *= r, d *= r;
  float m[3][3] = {{1 - 2 * (b * b + d * d), 2 * (a * b - w * d), 2 * (a * d + w * b)},
                   {2 * (a * b + w * d), 1 - 2 * (a * a + d * d), 2 * (b * d - w * a)},
                   {2 * (a * d - w * b), 2 * (b * d + w * a), 1 - 2 * (a * a + b * b)}};
  for (int k = 0; k < 3; ++k) {
    float scale = expf(s[3 * i + k]);
    for (int j = 0; j < 3; ++j)
      m[j][k] *= scale;
  }
  float *out = c + 6 * i;
  for (int j = 0; j < 3; ++j)
    for (int k = j; k < 3; ++k)
      *out++ = m[j][0] * m[k][0] + m[j][1] * m[k][1] + m[j][2] * m[k][2];
}

[[kernix::bind, kernix::block(256)]]
__global__ void covariance_by_hand(const float *__restrict__ x, float *__restrict__ gx, const float *__restrict__ s,
                                   float *__restrict__ gs, const float *__restrict__ gc, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float4 q = reinterpret_cast<const float4 *>(x)[i];
  float norm = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  float w = q.x * norm, a = q.y * norm, b = q.z * norm, d = q.w * norm;
  float rot[3][3] = {{1 - 2 * (b * b + d * d), 2 * (a * b - w * d), 2 * (a * d + w * b)},
                     {2 * (a * b + w * d), 1 - 2 * (a * a + d * d), 2 * (b * d - w * a)},
                     {2 * (a * d - w * b), 2 * (b * d + w * a), 1 - 2 * (a * a + b * b)}};
  float g[6];
  for (int k = 0; k < 3; ++k) {
    float2 pair = reinterpret_cast<const float2 *>(gc)[3 * i + k];
    g[2 * k] = pair.x, g[2 * k + 1] = pair.y;
  }
  // C = M M^T with M = R diag(e): dM = (G + G^T) M, where G holds the given triangle.
  float sym[3][3] = {{2 * g[0], g[1], g[2]}, {g[1], 2 * g[3], g[4]}, {g[2], g[4], 2 * g[5]}};
  float gr[3][3];
  for (int k = 0; k < 3; ++k) {
    float scale = expf(s[3 * i + k]), sum = 0;
    for (int j = 0; j < 3; ++j) {
      float gm = (sym[j][0] * rot[0][k] + sym[j][1] * rot[1][k] + sym[j][2] * rot[2][k]) * scale;
      gr[j][k] = gm * scale;
      sum += gm * rot[j][k];
    }
    gs[3 * i + k] += sum * scale;
  }
  float gw = 2 * (d * (gr[1][0] - gr[0][1]) + b * (gr[0][2] - gr[2][0]) + a * (gr[2][1] - gr[1][2]));
  float ga = 2 * (b * (gr[0][1] + gr[1][0]) + d * (gr[0][2] + gr[2][0]) + w * (gr[2][1] - gr[1][2])) -
             4 * a * (gr[1][1] + gr[2][2]);
  float gb = 2 * (a * (gr[0][1] + gr[1][0]) + w * (gr[0][2] - gr[2][0]) + d * (gr[1][2] + gr[2][1])) -
             4 * b * (gr[0][0] + gr[2][2]);
  float gd = 2 * (w * (gr[1][0] - gr[0][1]) + a * (gr[0][2] + gr[2][0]) + b * (gr[1][2] + gr[2][1])) -
             4 * d * (gr[0][0] + gr[1][1]);
  float along = gw * w + ga * a + gb * b + gd * d;
  float4 *place = reinterpret_cast<float4 *>(gx) + i, sum = *place;
  *place = make_float4(sum.x + norm * (gw - along * w), sum.y + norm * (ga - along * a),
                       sum.z + norm * (gb - along * b), sum.w + norm * (gd - along * d));
}

// -- projection of a Gaussian ---------------------------------------------------------------------------------------

// x: points [n, 3], c: covariances [n, 6], view: [3, 4] -> u: pixel and 2-D covariance [n, 5]
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void projection(const float *x, const float *c, [[kernix::no_diff]] const float *view,
                           [[kernix::shape("n", "5")]] float *u, float focal, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float p[3];
  for (int k = 0; k < 3; ++k)
    p[k] = view[4 * k] * x[3 * i] + view[4 * k + 1] * x[3 * i + 1] + view[4 * k + 2] * x[3 * i + 2] + view[4 * k + 3];
  float inverse = 1 / p[2];
  float j0 = focal * inverse, j2x = -focal * p[0] * inverse * inverse, j2y = -focal * p[1] * inverse * inverse;
  float t[2][3];
  for (int k = 0; k < 3; ++k) {
    t[0][k] = j0 * view[k] + j2x * view[8 + k];
    t[1][k] = j0 * view[4 + k] + j2y * view[8 + k];
  }
  const float *v = c + 6 * i;
  float m[3][3] = {{v[0], v[1], v[2]}, {v[1], v[3], v[4]}, {v[2], v[4], v[5]}};
  float tm[2][3];
  for (int r = 0; r < 2; ++r)
    for (int k = 0; k < 3; ++k)
      tm[r][k] = t[r][0] * m[0][k] + t[r][1] * m[1][k] + t[r][2] * m[2][k];
  float *out = u + 5 * i;
  out[0] = focal * p[0] * inverse;
  out[1] = focal * p[1] * inverse;
  out[2] = tm[0][0] * t[0][0] + tm[0][1] * t[0][1] + tm[0][2] * t[0][2];
  out[3] = tm[0][0] * t[1][0] + tm[0][1] * t[1][1] + tm[0][2] * t[1][2];
  out[4] = tm[1][0] * t[1][0] + tm[1][1] * t[1][1] + tm[1][2] * t[1][2];
}

[[kernix::bind, kernix::block(256)]]
__global__ void projection_by_hand(const float *__restrict__ x, float *__restrict__ gx, const float *__restrict__ c,
                                   float *__restrict__ gc, const float *__restrict__ view, const float *__restrict__ gu,
                                   float focal, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float p[3];
  for (int k = 0; k < 3; ++k)
    p[k] = view[4 * k] * x[3 * i] + view[4 * k + 1] * x[3 * i + 1] + view[4 * k + 2] * x[3 * i + 2] + view[4 * k + 3];
  float inverse = 1 / p[2], j0 = focal * inverse;
  float j2x = -j0 * p[0] * inverse, j2y = -j0 * p[1] * inverse;
  float t[2][3];
  for (int k = 0; k < 3; ++k) {
    t[0][k] = j0 * view[k] + j2x * view[8 + k];
    t[1][k] = j0 * view[4 + k] + j2y * view[8 + k];
  }
  const float2 *pairs = reinterpret_cast<const float2 *>(c) + 3 * i;
  float2 v0 = pairs[0], v1 = pairs[1], v2 = pairs[2];
  float m[3][3] = {{v0.x, v0.y, v1.x}, {v0.y, v1.y, v2.x}, {v1.x, v2.x, v2.y}};
  const float *g = gu + 5 * i;
  float g0 = g[0], g1 = g[1], g2 = g[2], g3 = g[3], g4 = g[4];
  // C' = T M T^T: dM = T^T G T, dT = (G + G^T) T M, G the given triangle.
  float2 *sums = reinterpret_cast<float2 *>(gc) + 3 * i;
  auto outer = [&](int j, int k) { return g2 * t[0][j] * t[0][k] + g3 * t[0][j] * t[1][k] + g4 * t[1][j] * t[1][k]; };
  float2 s0 = sums[0], s1 = sums[1], s2 = sums[2];
  sums[0] = make_float2(s0.x + outer(0, 0), s0.y + outer(0, 1) + outer(1, 0));
  sums[1] = make_float2(s1.x + outer(0, 2) + outer(2, 0), s1.y + outer(1, 1));
  sums[2] = make_float2(s2.x + outer(1, 2) + outer(2, 1), s2.y + outer(2, 2));
  float gt[2][3];
  for (int k = 0; k < 3; ++k) {
    float tm0 = t[0][0] * m[0][k] + t[0][1] * m[1][k] + t[0][2] * m[2][k];
    float tm1 = t[1][0] * m[0][k] + t[1][1] * m[1][k] + t[1][2] * m[2][k];
    gt[0][k] = 2 * g2 * tm0 + g3 * tm1;
    gt[1][k] = g3 * tm0 + 2 * g4 * tm1;
  }
  float gj0 = 0, gjx = 0, gjy = 0;
  for (int k = 0; k < 3; ++k) {
    gj0 += gt[0][k] * view[k] + gt[1][k] * view[4 + k];
    gjx += gt[0][k] * view[8 + k];
    gjy += gt[1][k] * view[8 + k];
  }
  // j0 = f / z, jx = -f x / z^2, u = f x / z.
  float gp0 = g0 * j0 - gjx * j0 * inverse, gp1 = g1 * j0 - gjy * j0 * inverse;
  float gp2 = g0 * j2x + g1 * j2y - (gj0 * j0 + 2 * (gjx * j2x + gjy * j2y)) * inverse;
  for (int k = 0; k < 3; ++k)
    gx[3 * i + k] += gp0 * view[k] + gp1 * view[4 + k] + gp2 * view[8 + k];
}

// -- spherical harmonics --------------------------------------------------------------------------------------------

// x: directions [n, 3], k: coefficients [n, 16, 3] -> c: colours [n, 3]
namespace {

/// The 16 real spherical harmonics of degree 0 to 3 at the unit vector (x, y, z).
__device__ void harmonics(float x, float y, float z, float (&b)[16]) {
  float xx = x * x, yy = y * y, zz = z * z;
  b[0] = 0.2820947918f;
  b[1] = -0.4886025119f * y;
  b[2] = 0.4886025119f * z;
  b[3] = -0.4886025119f * x;
  b[4] = 1.0925484306f * x * y;
  b[5] = -1.0925484306f * y * z;
  b[6] = 0.3153915653f * (2 * zz - xx - yy);
  b[7] = -1.0925484306f * x * z;
  b[8] = 0.5462742153f * (xx - yy);
  b[9] = -0.5900435899f * y * (3 * xx - yy);
  b[10] = 2.8906114426f * x * y * z;
  b[11] = -0.4570457995f * y * (4 * zz - xx - yy);
  b[12] = 0.3731763326f * z * (2 * zz - 3 * xx - 3 * yy);
  b[13] = -0.4570457995f * x * (4 * zz - xx - yy);
  b[14] = 1.4453057213f * z * (xx - yy);
  b[15] = -0.5900435899f * x * (xx - 3 * yy);
}

} // namespace

[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void colours(const float *x, const float *k, [[kernix::shape("n", "3")]] float *c, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float dx = x[3 * i], dy = x[3 * i + 1], dz = x[3 * i + 2];
  float r = rsqrtf(dx * dx + dy * dy + dz * dz);
  float b[16];
  harmonics(dx * r, dy * r, dz * r, b);
  for (int channel = 0; channel < 3; ++channel) {
    float sum = 0.5f;
    for (int j = 0; j < 16; ++j)
      sum += b[j] * k[48 * i + 3 * j + channel];
    c[3 * i + channel] = fmaxf(sum, 0);
  }
}

[[kernix::bind, kernix::block(256)]]
__global__ void colours_by_hand(const float *__restrict__ x, float *__restrict__ gx, const float *__restrict__ k,
                                float *__restrict__ gk, const float *__restrict__ gc, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float dx = x[3 * i], dy = x[3 * i + 1], dz = x[3 * i + 2];
  float r = rsqrtf(dx * dx + dy * dy + dz * dz);
  float px = dx * r, py = dy * r, pz = dz * r;
  float b[16];
  harmonics(px, py, pz, b);
  float h[48];
  const float4 *rows = reinterpret_cast<const float4 *>(k) + 12 * i;
  for (int j = 0; j < 12; ++j) {
    float4 row = rows[j];
    h[4 * j] = row.x, h[4 * j + 1] = row.y, h[4 * j + 2] = row.z, h[4 * j + 3] = row.w;
  }
  float g[3];
  for (int channel = 0; channel < 3; ++channel) {
    float sum = 0.5f;
    for (int j = 0; j < 16; ++j)
      sum += b[j] * h[3 * j + channel];
    float given = gc[3 * i + channel];
    g[channel] = sum > 0 ? given : sum == 0 ? given / 2 : 0;
  }
  float gb[16];
  for (int j = 0; j < 16; ++j)
    gb[j] = h[3 * j] * g[0] + h[3 * j + 1] * g[1] + h[3 * j + 2] * g[2];
  float4 *sums = reinterpret_cast<float4 *>(gk) + 12 * i;
  for (int j = 0; j < 12; ++j) {
    float4 sum = sums[j];
    sum.x += b[(4 * j) / 3] * g[(4 * j) % 3];
    sum.y += b[(4 * j + 1) / 3] * g[(4 * j + 1) % 3];
    sum.z += b[(4 * j + 2) / 3] * g[(4 * j + 2) % 3];
    sum.w += b[(4 * j + 3) / 3] * g[(4 * j + 3) % 3];
    sums[j] = sum;
  }
  float xx = px * px, yy = py * py, zz = pz * pz, xy = px * py, xz = px * pz, yz = py * pz;
  constexpr float a1 = 0.4886025119f, a2 = 1.0925484306f, a3 = 0.3153915653f, a4 = 0.5462742153f, a5 = 0.5900435899f,
                  a6 = 2.8906114426f, a7 = 0.4570457995f, a8 = 0.3731763326f, a9 = 1.4453057213f;
  float vx = -a1 * gb[3] + a2 * (py * gb[4] - pz * gb[7]) - 2 * a3 * px * gb[6] + 2 * a4 * px * gb[8] -
             6 * a5 * xy * gb[9] + a6 * yz * gb[10] + 2 * a7 * xy * gb[11] - 6 * a8 * xz * gb[12] -
             a7 * (4 * zz - 3 * xx - yy) * gb[13] + 2 * a9 * xz * gb[14] - 3 * a5 * (xx - yy) * gb[15];
  float vy = -a1 * gb[1] + a2 * (px * gb[4] - pz * gb[5]) - 2 * a3 * py * gb[6] - 2 * a4 * py * gb[8] -
             3 * a5 * (xx - yy) * gb[9] + a6 * xz * gb[10] - a7 * (4 * zz - xx - 3 * yy) * gb[11] -
             6 * a8 * yz * gb[12] + 2 * a7 * xy * gb[13] - 2 * a9 * yz * gb[14] + 6 * a5 * xy * gb[15];
  float vz = a1 * gb[2] - a2 * (py * gb[5] + px * gb[7]) + 4 * a3 * pz * gb[6] + a6 * xy * gb[10] -
             8 * a7 * yz * gb[11] + a8 * (6 * zz - 3 * xx - 3 * yy) * gb[12] - 8 * a7 * xz * gb[13] +
             a9 * (xx - yy) * gb[14];
  float along = vx * px + vy * py + vz * pz;
  gx[3 * i] += r * (vx - along * px);
  gx[3 * i + 1] += r * (vy - along * py);
  gx[3 * i + 2] += r * (vz - along * pz);
}

// -- Newton's iteration ---------------------------------------------------------------------------------------------

// Kepler's equation E - e sin E = M. x: mean anomalies M [n], e: eccentricities [n] -> y: eccentric anomalies E [n]
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void kepler(const float *x, const float *e, [[kernix::shape("x")]] float *y, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float m = x[i], c = e[i], t = m;
  for (int k = 0; k < 10; ++k)
    t -= (t - c * sinf(t) - m) / (1 - c * cosf(t));
  y[i] = t;
}

// Through the iterations, as the kernel is written.
[[kernix::bind, kernix::block(256)]]
__global__ void kepler_by_hand(const float *__restrict__ x, float *__restrict__ gx, const float *__restrict__ e,
                               float *__restrict__ ge, const float *__restrict__ gy, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float m = x[i], c = e[i], t = m, kept[10];
#pragma unroll
  for (int k = 0; k < 10; ++k) {
    kept[k] = t;
    t -= (t - c * sinf(t) - m) / (1 - c * cosf(t));
  }
  float gt = gy[i], gm = 0, gc = 0;
#pragma unroll
  for (int k = 9; k >= 0; --k) {
    float sine, cosine;
    sincosf(kept[k], &sine, &cosine);
    float below = 1 / (1 - c * cosine), step = (kept[k] - c * sine - m) * below;
    // t' = t - f / g: dt' = dt - df / g + (f / g) dg / g, and df = g dt here.
    float part = gt * below;
    gm += part;
    gc += part * (sine - step * cosine);
    gt = part * step * c * sine;
  }
  gx[i] += gm + gt;
  ge[i] += gc;
}

// By the implicit function theorem, which takes the iteration for solved. For information.
[[kernix::bind, kernix::block(256)]]
__global__ void kepler_implicit(const float *__restrict__ y, const float *__restrict__ e, float *__restrict__ gx,
                                float *__restrict__ ge, const float *__restrict__ gy,
                                [[kernix::value("y.size(0)")]] int n) {
  int i = INDEX;
  if (i >= n)
    return;
  float sine, cosine;
  sincosf(y[i], &sine, &cosine);
  float part = gy[i] / (1 - e[i] * cosine);
  gx[i] += part;
  ge[i] += part * sine;
}

// -- a recurrence ---------------------------------------------------------------------------------------------------

// x [n, 64], stored as [64, n] -> y [n]: h = tanh(a h + b x[t])
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void recurrence(const float *x, [[kernix::shape("n")]] float *y, float a, float b,
                           [[kernix::value("x.size(1)")]] int n) {
  int i = INDEX;
  if (i >= n)
    return;
  float h = 0;
  for (int t = 0; t < 64; ++t)
    h = tanhf(a * h + b * x[t * n + i]);
  y[i] = h;
}

[[kernix::bind, kernix::block(256)]]
__global__ void recurrence_by_hand(const float *__restrict__ x, float *__restrict__ gx, const float *__restrict__ gy,
                                   float a, float b, [[kernix::value("x.size(1)")]] int n) {
  int i = INDEX;
  if (i >= n)
    return;
  float h = 0, kept[64];
  for (int t = 0; t < 64; ++t)
    kept[t] = h = tanhf(a * h + b * x[t * n + i]);
  float g = gy[i];
  for (int t = 63; t >= 0; --t) {
    float inner = g * (1 - kept[t] * kept[t]);
    gx[t * n + i] += inner * b;
    g = inner * a;
  }
}
