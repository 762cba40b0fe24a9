// openmp_workloads.cpp - the workloads of workloads.h as OpenMP loops by hand: threads take rows, tiles or strips,
// inner loops are vectors, what several threads add to has a copy for each of them or an owner.
#include "workloads.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <omp.h>
#include <vector>

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

// -- compositing ----------------------------------------------------------------------------------------------------
//
// A thread takes a tile. For each ellipse a loop over the 256 pixels is a loop of vectors; pixels that are done do not
// take part any more.

namespace {

constexpr int SIDE = 16, PIXELS = SIDE * SIDE;

/// e^x for x <= 0, to a few units in the last place: a loop around a call of the library's would not be one of vectors.
inline float exp_of_negative(float x) {
  x = std::max(x, -80.0f);
  float n = std::nearbyint(x * 1.44269504f);
  float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p =
      1 + r * (1 + r * (0.5f + r * (0.166666667f + r * (0.0416666667f + r * (8.33333333e-3f + r * 1.38888889e-3f)))));
  int bits = (static_cast<int>(n) + 127) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  return p * power;
}

struct Pixels {
  float x[PIXELS], y[PIXELS];
  Pixels(int tile, int columns) {
    for (int k = 0; k < PIXELS; ++k) {
      x[k] = static_cast<float>(tile % columns * SIDE + k % SIDE) + 0.5f;
      y[k] = static_cast<float>(tile / columns * SIDE + k / SIDE) + 0.5f;
    }
  }
};

} // namespace

void openmp_composite(Ellipses of, Tiles tiles, float *picture, int height, int width, KeptOfPixels kept) {
  const int columns = (width + SIDE - 1) / SIDE, rows = (height + SIDE - 1) / SIDE;
#pragma omp parallel for schedule(dynamic, 4)
  for (int tile = 0; tile < rows * columns; ++tile) {
    const Pixels at(tile, columns);
    alignas(64) float left[PIXELS], red[PIXELS] = {}, green[PIXELS] = {}, blue[PIXELS] = {};
    alignas(64) int open[PIXELS], last[PIXELS] = {};
    for (int k = 0; k < PIXELS; ++k)
      left[k] = 1, open[k] = at.x[k] < width && at.y[k] < height;
    const int begin = tiles.first[tile], end = tiles.first[tile + 1];
    for (int entry = begin; entry < end; ++entry) {
      const int m = tiles.members[entry];
      const float cx = of.centres[2 * m], cy = of.centres[2 * m + 1], opacity = of.opacities[m];
      const float qx = of.conics[3 * m], qy = of.conics[3 * m + 1], qz = of.conics[3 * m + 2];
      const float r = of.colours[3 * m], g = of.colours[3 * m + 1], b = of.colours[3 * m + 2];
      int any = 0;
#pragma omp simd reduction(| : any)
      for (int k = 0; k < PIXELS; ++k) {
        float dx = cx - at.x[k], dy = cy - at.y[k];
        float power = -0.5f * (qx * dx * dx + qz * dy * dy) - qy * dx * dy;
        float alpha = std::min(0.99f, opacity * exp_of_negative(power));
        bool counts = open[k] && power <= 0 && alpha >= 1.0f / 255;
        float next = left[k] * (1 - alpha);
        bool ends = counts && next < 1e-4f;
        open[k] = open[k] && !ends;
        counts = counts && !ends;
        float weight = counts ? left[k] * alpha : 0;
        red[k] += weight * r;
        green[k] += weight * g;
        blue[k] += weight * b;
        left[k] = counts ? next : left[k];
        last[k] = counts ? entry + 1 - begin : last[k];
        any |= open[k];
      }
      if (!any)
        break;
    }
    for (int k = 0; k < PIXELS; ++k) {
      const int column = tile % columns * SIDE + k % SIDE, row = tile / columns * SIDE + k / SIDE;
      if (column >= width || row >= height)
        continue;
      const int i = row * width + column;
      picture[3 * i] = red[k];
      picture[3 * i + 1] = green[k];
      picture[3 * i + 2] = blue[k];
      kept.left[i] = left[k];
      kept.looked_at[i] = last[k];
    }
  }
}

// From the last ellipse to the first: the light before one is that behind it, divided by 1 - alpha.
void openmp_composite_backward(Ellipses of, Ellipses gradients, Tiles tiles, const float *gpicture, int height,
                               int width, KeptOfPixels kept) {
  const int columns = (width + SIDE - 1) / SIDE, rows = (height + SIDE - 1) / SIDE;
#pragma omp parallel for schedule(dynamic, 4)
  for (int tile = 0; tile < rows * columns; ++tile) {
    const Pixels at(tile, columns);
    alignas(64) float left[PIXELS], behind[PIXELS] = {}, gr[PIXELS], gg[PIXELS], gb[PIXELS];
    alignas(64) int last[PIXELS];
    int most = 0;
    for (int k = 0; k < PIXELS; ++k) {
      const int column = tile % columns * SIDE + k % SIDE, row = tile / columns * SIDE + k / SIDE;
      const bool inside = column < width && row < height;
      const int i = inside ? row * width + column : 0;
      left[k] = inside ? kept.left[i] : 1;
      last[k] = inside ? kept.looked_at[i] : 0;
      gr[k] = inside ? gpicture[3 * i] : 0;
      gg[k] = inside ? gpicture[3 * i + 1] : 0;
      gb[k] = inside ? gpicture[3 * i + 2] : 0;
      most = std::max(most, last[k]);
    }
    const int begin = tiles.first[tile];
    for (int number = most - 1; number >= 0; --number) {
      const int m = tiles.members[begin + number];
      const float cx = of.centres[2 * m], cy = of.centres[2 * m + 1], opacity = of.opacities[m];
      const float qx = of.conics[3 * m], qy = of.conics[3 * m + 1], qz = of.conics[3 * m + 2];
      const float r = of.colours[3 * m], g = of.colours[3 * m + 1], b = of.colours[3 * m + 2];
      float sx = 0, sy = 0, sqx = 0, sqy = 0, sqz = 0, so = 0, sr = 0, sg = 0, sb = 0;
#pragma omp simd reduction(+ : sx, sy, sqx, sqy, sqz, so, sr, sg, sb)
      for (int k = 0; k < PIXELS; ++k) {
        float dx = cx - at.x[k], dy = cy - at.y[k];
        float power = -0.5f * (qx * dx * dx + qz * dy * dy) - qy * dx * dy;
        float shape = exp_of_negative(power), full = opacity * shape, alpha = std::min(0.99f, full);
        bool counts = number < last[k] && power <= 0 && alpha >= 1.0f / 255;
        float inverse = 1 / (1 - alpha), before = left[k] * inverse;
        float weight = counts ? before * alpha : 0, painted = gr[k] * r + gg[k] * g + gb[k] * b;
        float galpha = before * painted - behind[k] * inverse;
        float gfull = counts && full < 0.99f ? galpha : 0, gpower = gfull * full;
        left[k] = counts ? before : left[k];
        behind[k] += weight * painted;
        sx -= gpower * (qx * dx + qy * dy);
        sy -= gpower * (qz * dy + qy * dx);
        sqx -= 0.5f * gpower * dx * dx;
        sqy -= gpower * dx * dy;
        sqz -= 0.5f * gpower * dy * dy;
        so += gfull * shape;
        sr += weight * gr[k];
        sg += weight * gg[k];
        sb += weight * gb[k];
      }
      const auto add = [](float *to, float v) {
#pragma omp atomic
        *to += v;
      };
      add(gradients.centres + 2 * m, sx);
      add(gradients.centres + 2 * m + 1, sy);
      add(gradients.conics + 3 * m, sqx);
      add(gradients.conics + 3 * m + 1, sqy);
      add(gradients.conics + 3 * m + 2, sqz);
      add(gradients.opacities + m, so);
      add(gradients.colours + 3 * m, sr);
      add(gradients.colours + 3 * m + 1, sg);
      add(gradients.colours + 3 * m + 2, sb);
    }
  }
}

// -- structural similarity ------------------------------------------------------------------------------------------
//
// A thread takes strips of 32 rows: each row of the strip and of its border is smoothed along, into a buffer that stays
// in the cache, and the strip is smoothed down from there.

namespace {

constexpr int RADIUS = 5, WINDOW = 2 * RADIUS + 1, STRIP = 32, TALL = STRIP + 2 * RADIUS;
constexpr float WEIGHTS[WINDOW] = {0.001028380f, 0.007598758f, 0.036000773f, 0.109360687f, 0.213005543f, 0.266011718f,
                                   0.213005543f, 0.109360687f, 0.036000773f, 0.007598758f, 0.001028380f};

/// out[i] = the weighted sum of from[i] to from[i + 10].
void smooth_along(const float *from, float *out, int width) {
#pragma omp simd
  for (int i = 0; i < width; ++i) {
    float sum = 0;
    for (int d = 0; d < WINDOW; ++d)
      sum += WEIGHTS[d] * from[i + d];
    out[i] = sum;
  }
}

/// A row with zeros on both sides.
struct Padded {
  std::vector<float> v;
  explicit Padded(int width) : v(static_cast<size_t>(width) + 2 * RADIUS) {}
  float *row() { return v.data() + RADIUS; }
};

} // namespace

void openmp_ssim(const float *x, const float *z, float *y, int height, int width, float *kept) {
#pragma omp parallel
  {
    std::array<std::vector<float>, 5> sums;
    for (auto &each : sums)
      each.resize(static_cast<size_t>(TALL) * width);
    std::array<Padded, 5> rows{Padded(width), Padded(width), Padded(width), Padded(width), Padded(width)};
#pragma omp for schedule(dynamic)
    for (int top = 0; top < height; top += STRIP) {
      const int bottom = std::min(height, top + STRIP);
      for (int row = top - RADIUS; row < bottom + RADIUS; ++row) {
        const size_t to = static_cast<size_t>(row - top + RADIUS) * width;
        if (row < 0 || row >= height) {
          for (auto &each : sums)
            std::fill_n(each.begin() + to, width, 0.0f);
          continue;
        }
        const float *u = x + static_cast<size_t>(row) * width, *v = z + static_cast<size_t>(row) * width;
        float *a = rows[0].row(), *b = rows[1].row(), *aa = rows[2].row(), *bb = rows[3].row(), *ab = rows[4].row();
#pragma omp simd
        for (int i = 0; i < width; ++i)
          a[i] = u[i], b[i] = v[i], aa[i] = u[i] * u[i], bb[i] = v[i] * v[i], ab[i] = u[i] * v[i];
        for (int k = 0; k < 5; ++k)
          smooth_along(rows[k].v.data(), sums[k].data() + to, width);
      }
      for (int row = top; row < bottom; ++row) {
        const float *from[5];
        for (int k = 0; k < 5; ++k)
          from[k] = sums[k].data() + static_cast<size_t>(row - top) * width;
        const size_t at = static_cast<size_t>(row) * width, size = static_cast<size_t>(height) * width;
#pragma omp simd
        for (int i = 0; i < width; ++i) {
          float ma = 0, mb = 0, maa = 0, mbb = 0, mab = 0;
          for (int d = 0; d < WINDOW; ++d) {
            ma += WEIGHTS[d] * from[0][d * width + i];
            mb += WEIGHTS[d] * from[1][d * width + i];
            maa += WEIGHTS[d] * from[2][d * width + i];
            mbb += WEIGHTS[d] * from[3][d * width + i];
            mab += WEIGHTS[d] * from[4][d * width + i];
          }
          float va = maa - ma * ma, vb = mbb - mb * mb, cov = mab - ma * mb;
          float above = 2 * ma * mb + 1e-4f, right = 2 * cov + 9e-4f;
          float below = ma * ma + mb * mb + 1e-4f, last = va + vb + 9e-4f;
          float inverse = 1 / (below * last), value = above * right * inverse;
          y[at + i] = value;
          float by_variance = -value / last, by_covariance = 2 * above * inverse;
          kept[at + i] = 2 * mb * right * inverse - 2 * ma * value / below - 2 * ma * by_variance - mb * by_covariance;
          kept[size + at + i] = by_variance;
          kept[2 * size + at + i] = by_covariance;
        }
      }
    }
  }
}

void openmp_ssim_backward(const float *x, float *gx, const float *z, const float *gy, int height, int width,
                          const float *kept) {
  const size_t size = static_cast<size_t>(height) * width;
#pragma omp parallel
  {
    std::array<std::vector<float>, 3> sums;
    for (auto &each : sums)
      each.resize(static_cast<size_t>(TALL) * width);
    Padded padded(width);
#pragma omp for schedule(dynamic)
    for (int top = 0; top < height; top += STRIP) {
      const int bottom = std::min(height, top + STRIP);
      for (int row = top - RADIUS; row < bottom + RADIUS; ++row)
        for (int k = 0; k < 3; ++k) {
          float *to = sums[k].data() + static_cast<size_t>(row - top + RADIUS) * width;
          if (row < 0 || row >= height) {
            std::fill_n(to, width, 0.0f);
            continue;
          }
          const float *g = gy + static_cast<size_t>(row) * width,
                      *by = kept + k * size + static_cast<size_t>(row) * width;
          float *given = padded.row();
#pragma omp simd
          for (int i = 0; i < width; ++i)
            given[i] = g[i] * by[i];
          smooth_along(padded.v.data(), to, width);
        }
      for (int row = top; row < bottom; ++row) {
        const float *from[3];
        for (int k = 0; k < 3; ++k)
          from[k] = sums[k].data() + static_cast<size_t>(row - top) * width;
        const size_t at = static_cast<size_t>(row) * width;
#pragma omp simd
        for (int i = 0; i < width; ++i) {
          float mean = 0, variance = 0, covariance = 0;
          for (int d = 0; d < WINDOW; ++d) {
            mean += WEIGHTS[d] * from[0][d * width + i];
            variance += WEIGHTS[d] * from[1][d * width + i];
            covariance += WEIGHTS[d] * from[2][d * width + i];
          }
          gx[at + i] += mean + 2 * x[at + i] * variance + z[at + i] * covariance;
        }
      }
    }
  }
}

// -- layer norm -----------------------------------------------------------------------------------------------------

namespace {

constexpr int COLUMNS = 1024;

struct Moments {
  float mean, inverse;
};

Moments moments_of(const float *x) {
  float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
  for (int k = 0; k < COLUMNS; ++k)
    sum += x[k];
  const float mean = sum / COLUMNS;
#pragma omp simd reduction(+ : squares)
  for (int k = 0; k < COLUMNS; ++k)
    squares += (x[k] - mean) * (x[k] - mean);
  return {mean, 1 / std::sqrt(squares / COLUMNS + 1e-5f)};
}

} // namespace

void openmp_layer_norm(int rows, const float *x, const float *scale, const float *shift, float *y) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const float *v = x + static_cast<size_t>(row) * COLUMNS;
    float *to = y + static_cast<size_t>(row) * COLUMNS;
    const Moments m = moments_of(v);
#pragma omp simd
    for (int k = 0; k < COLUMNS; ++k)
      to[k] = (v[k] - m.mean) * m.inverse * scale[k] + shift[k];
  }
}

void openmp_layer_norm_backward(int rows, const float *x, float *gx, const float *scale, float *gscale, const float *,
                                float *gshift, const float *gy) {
#pragma omp parallel
  {
    alignas(64) float sa[COLUMNS] = {}, sb[COLUMNS] = {};
#pragma omp for
    for (int row = 0; row < rows; ++row) {
      const float *v = x + static_cast<size_t>(row) * COLUMNS, *g = gy + static_cast<size_t>(row) * COLUMNS;
      float *to = gx + static_cast<size_t>(row) * COLUMNS;
      const Moments m = moments_of(v);
      float flat = 0, along = 0;
#pragma omp simd reduction(+ : flat, along)
      for (int k = 0; k < COLUMNS; ++k) {
        const float n = (v[k] - m.mean) * m.inverse, h = g[k] * scale[k];
        sa[k] += g[k] * n;
        sb[k] += g[k];
        flat += h;
        along += h * n;
      }
      flat /= COLUMNS, along /= COLUMNS;
#pragma omp simd
      for (int k = 0; k < COLUMNS; ++k)
        to[k] += m.inverse * (g[k] * scale[k] - flat - (v[k] - m.mean) * m.inverse * along);
    }
#pragma omp critical
    for (int k = 0; k < COLUMNS; ++k)
      gscale[k] += sa[k], gshift[k] += sb[k];
  }
}

// -- segments -------------------------------------------------------------------------------------------------------

namespace {
constexpr int CHANNELS = 64;
} // namespace

void openmp_segments(Segments of, const float *weight, const float *x, float *y) {
#pragma omp parallel for schedule(dynamic, 64)
  for (int row = 0; row < of.rows; ++row) {
    float sum[CHANNELS] = {};
    for (int k = of.first[row]; k < of.first[row + 1]; ++k) {
      const float *v = x + static_cast<size_t>(of.column[k]) * CHANNELS;
      const float w = weight[k];
#pragma omp simd
      for (int c = 0; c < CHANNELS; ++c)
        sum[c] += w * v[c];
    }
    std::memcpy(y + static_cast<size_t>(row) * CHANNELS, sum, sizeof sum);
  }
}

// A thread owns a range of the rows of x: it looks at all entries and adds those that are its own.
void openmp_segments_backward(Segments of, const float *weight, float *gweight, const float *x, float *gx,
                              const float *gy) {
#pragma omp parallel
  {
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const int begin = static_cast<int>(int64_t(of.rows) * thread / threads);
    const int end = static_cast<int>(int64_t(of.rows) * (thread + 1) / threads);
    for (int row = 0; row < of.rows; ++row) {
      const float *g = gy + static_cast<size_t>(row) * CHANNELS;
      for (int k = of.first[row]; k < of.first[row + 1]; ++k) {
        if (of.column[k] < begin || of.column[k] >= end)
          continue;
        const float *v = x + static_cast<size_t>(of.column[k]) * CHANNELS;
        float *to = gx + static_cast<size_t>(of.column[k]) * CHANNELS;
        const float w = weight[k];
        float product = 0;
#pragma omp simd reduction(+ : product)
        for (int c = 0; c < CHANNELS; ++c) {
          to[c] += w * g[c];
          product += g[c] * v[c];
        }
        gweight[k] += product;
      }
    }
  }
}
