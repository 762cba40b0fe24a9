// ssim_openmp.cpp - a thread takes strips of 32 rows: each row of the strip and of its border is smoothed along, into a
// buffer that stays in the cache, and the strip is smoothed down from there.
#include "workloads.h"
#include <algorithm>
#include <array>
#include <vector>

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
