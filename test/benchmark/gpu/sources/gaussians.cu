// test/benchmark/gpu/sources/gaussians.cu - covariance, projection and colours of derivatives.cu, forward and by hand.
// Their backward kernels by hand are there.

#include <kernix/kernix.h>

#define INDEX static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)
#define COUNT [[kernix::value("x.size(0)")]] int n

[[kernix::bind, kernix::block(256)]]
__global__ void covariance_forward_by_hand(const float *__restrict__ x, const float *__restrict__ s,
                                           [[kernix::shape("n", "6")]] float *__restrict__ c, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float4 q = reinterpret_cast<const float4 *>(x)[i];
  float r = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  float w = q.x * r, a = q.y * r, b = q.z * r, d = q.w * r;
  float e0 = expf(s[3 * i]), e1 = expf(s[3 * i + 1]), e2 = expf(s[3 * i + 2]);
  float m[3][3] = {{(1 - 2 * (b * b + d * d)) * e0, 2 * (a * b - w * d) * e1, 2 * (a * d + w * b) * e2},
                   {2 * (a * b + w * d) * e0, (1 - 2 * (a * a + d * d)) * e1, 2 * (b * d - w * a) * e2},
                   {2 * (a * d - w * b) * e0, 2 * (b * d + w * a) * e1, (1 - 2 * (a * a + b * b)) * e2}};
  auto product = [&](int j, int k) { return m[j][0] * m[k][0] + m[j][1] * m[k][1] + m[j][2] * m[k][2]; };
  float2 *out = reinterpret_cast<float2 *>(c) + 3 * i;
  out[0] = make_float2(product(0, 0), product(0, 1));
  out[1] = make_float2(product(0, 2), product(1, 1));
  out[2] = make_float2(product(1, 2), product(2, 2));
}

[[kernix::bind, kernix::block(256)]]
__global__ void projection_forward_by_hand(const float *__restrict__ x, const float *__restrict__ c,
                                           const float *__restrict__ view,
                                           [[kernix::shape("n", "5")]] float *__restrict__ u, float focal, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float p[3];
  for (int k = 0; k < 3; ++k)
    p[k] = view[4 * k] * x[3 * i] + view[4 * k + 1] * x[3 * i + 1] + view[4 * k + 2] * x[3 * i + 2] + view[4 * k + 3];
  float inverse = 1 / p[2], j0 = focal * inverse, ux = j0 * p[0], uy = j0 * p[1];
  float t[2][3];
  for (int k = 0; k < 3; ++k) {
    t[0][k] = j0 * view[k] - ux * inverse * view[8 + k];
    t[1][k] = j0 * view[4 + k] - uy * inverse * view[8 + k];
  }
  const float2 *pairs = reinterpret_cast<const float2 *>(c) + 3 * i;
  float2 v0 = pairs[0], v1 = pairs[1], v2 = pairs[2];
  float m[3][3] = {{v0.x, v0.y, v1.x}, {v0.y, v1.y, v2.x}, {v1.x, v2.x, v2.y}};
  float cxx = 0, cxy = 0, cyy = 0;
  for (int k = 0; k < 3; ++k) {
    float first = t[0][0] * m[0][k] + t[0][1] * m[1][k] + t[0][2] * m[2][k];
    float second = t[1][0] * m[0][k] + t[1][1] * m[1][k] + t[1][2] * m[2][k];
    cxx += first * t[0][k];
    cxy += first * t[1][k];
    cyy += second * t[1][k];
  }
  float *out = u + 5 * i;
  out[0] = ux, out[1] = uy, out[2] = cxx, out[3] = cxy, out[4] = cyy;
}

[[kernix::bind, kernix::block(256)]]
__global__ void colours_forward_by_hand(const float *__restrict__ x, const float *__restrict__ k,
                                        [[kernix::shape("n", "3")]] float *__restrict__ c, COUNT) {
  int i = INDEX;
  if (i >= n)
    return;
  float px = x[3 * i], py = x[3 * i + 1], pz = x[3 * i + 2];
  float r = rsqrtf(px * px + py * py + pz * pz);
  px *= r, py *= r, pz *= r;
  float xx = px * px, yy = py * py, zz = pz * pz, below = 4 * zz - xx - yy;
  const float b[16] = {0.2820947918f,
                       -0.4886025119f * py,
                       0.4886025119f * pz,
                       -0.4886025119f * px,
                       1.0925484306f * px * py,
                       -1.0925484306f * py * pz,
                       0.3153915653f * (2 * zz - xx - yy),
                       -1.0925484306f * px * pz,
                       0.5462742153f * (xx - yy),
                       -0.5900435899f * py * (3 * xx - yy),
                       2.8906114426f * px * py * pz,
                       -0.4570457995f * py * below,
                       0.3731763326f * pz * (2 * zz - 3 * xx - 3 * yy),
                       -0.4570457995f * px * below,
                       1.4453057213f * pz * (xx - yy),
                       -0.5900435899f * px * (xx - 3 * yy)};
  float sum[3] = {0.5f, 0.5f, 0.5f};
  const float4 *rows = reinterpret_cast<const float4 *>(k) + 12 * i;
#pragma unroll
  for (int j = 0; j < 12; ++j) {
    float4 row = rows[j];
    sum[(4 * j) % 3] += b[(4 * j) / 3] * row.x;
    sum[(4 * j + 1) % 3] += b[(4 * j + 1) / 3] * row.y;
    sum[(4 * j + 2) % 3] += b[(4 * j + 2) / 3] * row.z;
    sum[(4 * j + 3) % 3] += b[(4 * j + 3) / 3] * row.w;
  }
  for (int channel = 0; channel < 3; ++channel)
    c[3 * i + channel] = fmaxf(sum[channel], 0);
}
