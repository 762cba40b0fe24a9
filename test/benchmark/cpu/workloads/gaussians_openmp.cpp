// gaussians_openmp.cpp - covariance, projection and colours: threads take runs of Gaussians.
#include "workloads.h"
#include <algorithm>
#include <cmath>

// -- covariance -----------------------------------------------------------------------------------------------------

void openmp_covariance(int n, const float *x, const float *s, float *c) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    float w = x[4 * i], a = x[4 * i + 1], b = x[4 * i + 2], d = x[4 * i + 3];
    float r = 1 / std::sqrt(w * w + a * a + b * b + d * d);
    w *= r, a *= r, b *= r, d *= r;
    float e0 = std::exp(s[3 * i]), e1 = std::exp(s[3 * i + 1]), e2 = std::exp(s[3 * i + 2]);
    float m[3][3] = {{(1 - 2 * (b * b + d * d)) * e0, 2 * (a * b - w * d) * e1, 2 * (a * d + w * b) * e2},
                     {2 * (a * b + w * d) * e0, (1 - 2 * (a * a + d * d)) * e1, 2 * (b * d - w * a) * e2},
                     {2 * (a * d - w * b) * e0, 2 * (b * d + w * a) * e1, (1 - 2 * (a * a + b * b)) * e2}};
    c[6 * i] = m[0][0] * m[0][0] + m[0][1] * m[0][1] + m[0][2] * m[0][2];
    c[6 * i + 1] = m[0][0] * m[1][0] + m[0][1] * m[1][1] + m[0][2] * m[1][2];
    c[6 * i + 2] = m[0][0] * m[2][0] + m[0][1] * m[2][1] + m[0][2] * m[2][2];
    c[6 * i + 3] = m[1][0] * m[1][0] + m[1][1] * m[1][1] + m[1][2] * m[1][2];
    c[6 * i + 4] = m[1][0] * m[2][0] + m[1][1] * m[2][1] + m[1][2] * m[2][2];
    c[6 * i + 5] = m[2][0] * m[2][0] + m[2][1] * m[2][1] + m[2][2] * m[2][2];
  }
}

// C = M M^T with M = R diag(e): dM = (G + G^T) M.
void openmp_covariance_backward(int n, const float *x, float *gx, const float *s, float *gs, const float *gc) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    float w = x[4 * i], a = x[4 * i + 1], b = x[4 * i + 2], d = x[4 * i + 3];
    float norm = 1 / std::sqrt(w * w + a * a + b * b + d * d);
    w *= norm, a *= norm, b *= norm, d *= norm;
    const float *g = gc + 6 * i;
    float g00 = 2 * g[0], g01 = g[1], g02 = g[2], g11 = 2 * g[3], g12 = g[4], g22 = 2 * g[5];
    float r00 = 1 - 2 * (b * b + d * d), r01 = 2 * (a * b - w * d), r02 = 2 * (a * d + w * b);
    float r10 = 2 * (a * b + w * d), r11 = 1 - 2 * (a * a + d * d), r12 = 2 * (b * d - w * a);
    float r20 = 2 * (a * d - w * b), r21 = 2 * (b * d + w * a), r22 = 1 - 2 * (a * a + b * b);
    float e0 = std::exp(2 * s[3 * i]), e1 = std::exp(2 * s[3 * i + 1]), e2 = std::exp(2 * s[3 * i + 2]);
    float h00 = e0 * (g00 * r00 + g01 * r10 + g02 * r20), h10 = e0 * (g01 * r00 + g11 * r10 + g12 * r20),
          h20 = e0 * (g02 * r00 + g12 * r10 + g22 * r20);
    float h01 = e1 * (g00 * r01 + g01 * r11 + g02 * r21), h11 = e1 * (g01 * r01 + g11 * r11 + g12 * r21),
          h21 = e1 * (g02 * r01 + g12 * r11 + g22 * r21);
    float h02 = e2 * (g00 * r02 + g01 * r12 + g02 * r22), h12 = e2 * (g01 * r02 + g11 * r12 + g12 * r22),
          h22 = e2 * (g02 * r02 + g12 * r12 + g22 * r22);
    gs[3 * i] += h00 * r00 + h10 * r10 + h20 * r20;
    gs[3 * i + 1] += h01 * r01 + h11 * r11 + h21 * r21;
    gs[3 * i + 2] += h02 * r02 + h12 * r12 + h22 * r22;
    float gw = 2 * (d * (h10 - h01) + b * (h02 - h20) + a * (h21 - h12));
    float ga = 2 * (b * (h01 + h10) + d * (h02 + h20) + w * (h21 - h12)) - 4 * a * (h11 + h22);
    float gb = 2 * (a * (h01 + h10) + w * (h02 - h20) + d * (h12 + h21)) - 4 * b * (h00 + h22);
    float gd = 2 * (w * (h10 - h01) + a * (h02 + h20) + b * (h12 + h21)) - 4 * d * (h00 + h11);
    float along = gw * w + ga * a + gb * b + gd * d;
    gx[4 * i] += norm * (gw - along * w);
    gx[4 * i + 1] += norm * (ga - along * a);
    gx[4 * i + 2] += norm * (gb - along * b);
    gx[4 * i + 3] += norm * (gd - along * d);
  }
}

// -- projection -----------------------------------------------------------------------------------------------------

namespace {

/// A point as the camera sees it, and what its pixel's covariance is made with: t = J R, where J are the derivatives of
/// the pixel with respect to the point there.
struct Seen {
  float p[3], inverse, j0, jx, jy, t[2][3];
  Seen(const float *x, const float *view, float focal) {
    for (int k = 0; k < 3; ++k)
      p[k] = view[4 * k] * x[0] + view[4 * k + 1] * x[1] + view[4 * k + 2] * x[2] + view[4 * k + 3];
    inverse = 1 / p[2], j0 = focal * inverse, jx = -j0 * p[0] * inverse, jy = -j0 * p[1] * inverse;
    for (int k = 0; k < 3; ++k) {
      t[0][k] = j0 * view[k] + jx * view[8 + k];
      t[1][k] = j0 * view[4 + k] + jy * view[8 + k];
    }
  }
  /// Rows of t M, where c is the upper triangle of M.
  void products(const float *c, float (&first)[3], float (&second)[3]) const {
    const float m[3][3] = {{c[0], c[1], c[2]}, {c[1], c[3], c[4]}, {c[2], c[4], c[5]}};
    for (int k = 0; k < 3; ++k) {
      first[k] = t[0][0] * m[0][k] + t[0][1] * m[1][k] + t[0][2] * m[2][k];
      second[k] = t[1][0] * m[0][k] + t[1][1] * m[1][k] + t[1][2] * m[2][k];
    }
  }
};

} // namespace

void openmp_projection(int n, const float *x, const float *c, const float *view, float *u, float focal) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    const Seen at(x + 3 * i, view, focal);
    float first[3], second[3];
    at.products(c + 6 * i, first, second);
    u[5 * i] = at.j0 * at.p[0];
    u[5 * i + 1] = at.j0 * at.p[1];
    u[5 * i + 2] = first[0] * at.t[0][0] + first[1] * at.t[0][1] + first[2] * at.t[0][2];
    u[5 * i + 3] = first[0] * at.t[1][0] + first[1] * at.t[1][1] + first[2] * at.t[1][2];
    u[5 * i + 4] = second[0] * at.t[1][0] + second[1] * at.t[1][1] + second[2] * at.t[1][2];
  }
}

// C' = T M T^T: dM = T^T G T, dT = (G + G^T) T M, G the given triangle.
void openmp_projection_backward(int n, const float *x, float *gx, const float *c, float *gc, const float *view,
                                const float *gu, float focal) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    const Seen at(x + 3 * i, view, focal);
    float first[3], second[3], of_t[2][3];
    at.products(c + 6 * i, first, second);
    const float g0 = gu[5 * i], g1 = gu[5 * i + 1], g2 = gu[5 * i + 2], g3 = gu[5 * i + 3], g4 = gu[5 * i + 4];
    float turned[2][3]; // G T
    for (int k = 0; k < 3; ++k) {
      turned[0][k] = g2 * at.t[0][k] + g3 * at.t[1][k];
      turned[1][k] = g4 * at.t[1][k];
      of_t[0][k] = 2 * g2 * first[k] + g3 * second[k];
      of_t[1][k] = g3 * first[k] + 2 * g4 * second[k];
    }
    const auto outer = [&](int j, int k) { return at.t[0][j] * turned[0][k] + at.t[1][j] * turned[1][k]; };
    gc[6 * i] += outer(0, 0);
    gc[6 * i + 1] += outer(0, 1) + outer(1, 0);
    gc[6 * i + 2] += outer(0, 2) + outer(2, 0);
    gc[6 * i + 3] += outer(1, 1);
    gc[6 * i + 4] += outer(1, 2) + outer(2, 1);
    gc[6 * i + 5] += outer(2, 2);
    float of_j0 = 0, of_jx = 0, of_jy = 0;
    for (int k = 0; k < 3; ++k) {
      of_j0 += of_t[0][k] * view[k] + of_t[1][k] * view[4 + k];
      of_jx += of_t[0][k] * view[8 + k];
      of_jy += of_t[1][k] * view[8 + k];
    }
    // With f the focal length: j0 = f / z, jx = -f x / z^2.
    const float px = (g0 - of_jx * at.inverse) * at.j0, py = (g1 - of_jy * at.inverse) * at.j0;
    const float pz = g0 * at.jx + g1 * at.jy - (of_j0 * at.j0 + 2 * (of_jx * at.jx + of_jy * at.jy)) * at.inverse;
    for (int k = 0; k < 3; ++k)
      gx[3 * i + k] += px * view[k] + py * view[4 + k] + pz * view[8 + k];
  }
}

// -- colours --------------------------------------------------------------------------------------------------------
//
// The harmonics of a few directions at a time are a loop of vectors over the directions; the coefficients of each are
// three vectors that lie side by side.

namespace {

constexpr int TERMS = 16, SOME = 64;

/// The 16 real spherical harmonics of degree 0 to 3 at the unit vector (u, v, w).
inline void harmonics(float u, float v, float w, float *b) {
  const float uu = u * u, vv = v * v, ww = w * w, below = 4 * ww - uu - vv;
  b[0] = 0.2820947918f;
  b[1] = -0.4886025119f * v;
  b[2] = 0.4886025119f * w;
  b[3] = -0.4886025119f * u;
  b[4] = 1.0925484306f * u * v;
  b[5] = -1.0925484306f * v * w;
  b[6] = 0.3153915653f * (2 * ww - uu - vv);
  b[7] = -1.0925484306f * u * w;
  b[8] = 0.5462742153f * (uu - vv);
  b[9] = -0.5900435899f * v * (3 * uu - vv);
  b[10] = 2.8906114426f * u * v * w;
  b[11] = -0.4570457995f * v * below;
  b[12] = 0.3731763326f * w * (2 * ww - 3 * uu - 3 * vv);
  b[13] = -0.4570457995f * u * below;
  b[14] = 1.4453057213f * w * (uu - vv);
  b[15] = -0.5900435899f * u * (uu - 3 * vv);
}

/// Unit vectors of some directions, their inverse lengths, and their harmonics, [SOME][TERMS].
struct Directions {
  alignas(64) float x[SOME], y[SOME], z[SOME], inverse[SOME], basis[SOME * TERMS];

  void set(const float *from, int count) {
#pragma omp simd
    for (int i = 0; i < count; ++i) {
      const float u = from[3 * i], v = from[3 * i + 1], w = from[3 * i + 2];
      const float r = 1 / std::sqrt(u * u + v * v + w * w);
      x[i] = u * r, y[i] = v * r, z[i] = w * r, inverse[i] = r;
    }
    for (int i = 0; i < count; ++i)
      harmonics(x[i], y[i], z[i], basis + TERMS * i);
  }
};

/// Sums of the products of harmonics and coefficients. Twelve numbers are four of each channel.
inline void colour_of(const float *basis, const float *k, float (&colour)[3]) {
  float sums[12] = {};
  for (int j = 0; j < TERMS; j += 4)
    for (int lane = 0; lane < 12; ++lane)
      sums[lane] += basis[j + lane / 3] * k[3 * j + lane];
  for (int channel = 0; channel < 3; ++channel)
    colour[channel] = 0.5f + sums[channel] + sums[3 + channel] + sums[6 + channel] + sums[9 + channel];
}

} // namespace

void openmp_colours(int n, const float *x, const float *k, float *c) {
#pragma omp parallel for
  for (int start = 0; start < n; start += SOME) {
    const int count = std::min(SOME, n - start);
    Directions of;
    of.set(x + 3 * start, count);
    // Not vectors of directions: those would gather.
#pragma clang loop vectorize(disable)
    for (int i = 0; i < count; ++i) {
      float colour[3];
      colour_of(of.basis + TERMS * i, k + 48 * (start + i), colour);
      for (int channel = 0; channel < 3; ++channel)
        c[3 * (start + i) + channel] = std::max(colour[channel], 0.0f);
    }
  }
}

void openmp_colours_backward(int n, const float *x, float *gx, const float *k, float *gk, const float *gc) {
#pragma omp parallel for
  for (int start = 0; start < n; start += SOME) {
    const int count = std::min(SOME, n - start);
    Directions of;
    of.set(x + 3 * start, count);
    alignas(64) float given[TERMS * SOME]; // [TERMS][SOME]: gradients of the harmonics
    for (int i = 0; i < count; ++i) {
      const float *basis = of.basis + TERMS * i, *coefficients = k + 48 * (start + i), *g = gc + 3 * (start + i);
      float *sums = gk + 48 * (start + i);
      float colour[3], of_basis[TERMS];
      colour_of(basis, coefficients, colour);
      const float r = colour[0] > 0 ? g[0] : 0, gr = colour[1] > 0 ? g[1] : 0, b = colour[2] > 0 ? g[2] : 0;
#pragma omp simd
      for (int j = 0; j < TERMS; ++j) {
        of_basis[j] = coefficients[3 * j] * r + coefficients[3 * j + 1] * gr + coefficients[3 * j + 2] * b;
        sums[3 * j] += basis[j] * r;
        sums[3 * j + 1] += basis[j] * gr;
        sums[3 * j + 2] += basis[j] * b;
      }
      for (int j = 0; j < TERMS; ++j)
        given[SOME * j + i] = of_basis[j];
    }
#pragma omp simd
    for (int i = 0; i < count; ++i) {
      const auto of_term = [&](int j) { return given[SOME * j + i]; };
      const float u = of.x[i], v = of.y[i], w = of.z[i];
      const float uu = u * u, vv = v * v, ww = w * w, uv = u * v, uw = u * w, vw = v * w;
      constexpr float a1 = 0.4886025119f, a2 = 1.0925484306f, a3 = 0.3153915653f, a4 = 0.5462742153f,
                      a5 = 0.5900435899f, a6 = 2.8906114426f, a7 = 0.4570457995f, a8 = 0.3731763326f,
                      a9 = 1.4453057213f;
      const float along_u = -a1 * of_term(3) + a2 * (v * of_term(4) - w * of_term(7)) - 2 * a3 * u * of_term(6) +
                            2 * a4 * u * of_term(8) - 6 * a5 * uv * of_term(9) + a6 * vw * of_term(10) +
                            2 * a7 * uv * of_term(11) - 6 * a8 * uw * of_term(12) -
                            a7 * (4 * ww - 3 * uu - vv) * of_term(13) + 2 * a9 * uw * of_term(14) -
                            3 * a5 * (uu - vv) * of_term(15);
      const float along_v = -a1 * of_term(1) + a2 * (u * of_term(4) - w * of_term(5)) - 2 * a3 * v * of_term(6) -
                            2 * a4 * v * of_term(8) - 3 * a5 * (uu - vv) * of_term(9) + a6 * uw * of_term(10) -
                            a7 * (4 * ww - uu - 3 * vv) * of_term(11) - 6 * a8 * vw * of_term(12) +
                            2 * a7 * uv * of_term(13) - 2 * a9 * vw * of_term(14) + 6 * a5 * uv * of_term(15);
      const float along_w = a1 * of_term(2) - a2 * (v * of_term(5) + u * of_term(7)) + 4 * a3 * w * of_term(6) +
                            a6 * uv * of_term(10) - 8 * a7 * vw * of_term(11) +
                            a8 * (6 * ww - 3 * uu - 3 * vv) * of_term(12) - 8 * a7 * uw * of_term(13) +
                            a9 * (uu - vv) * of_term(14);
      const float radial = along_u * u + along_v * v + along_w * w, r = of.inverse[i];
      gx[3 * (start + i)] += r * (along_u - radial * u);
      gx[3 * (start + i) + 1] += r * (along_v - radial * v);
      gx[3 * (start + i) + 2] += r * (along_w - radial * w);
    }
  }
}
