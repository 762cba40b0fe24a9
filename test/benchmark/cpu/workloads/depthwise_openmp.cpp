// depthwise_openmp.cpp - a thread takes a plane, in the backward pass the planes of a channel: it owns the gradients of
// its weights. Rows are loops of vectors.
#include "workloads.h"
#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

/// Rows of a plane with a zero on both sides: three at a time, each copied once.
class ThreeRows {
public:
  explicit ThreeRows(int width) : width_(width), stride_(static_cast<size_t>(width) + 2), v_(3 * stride_) {}

  /// The row, whose columns begin at 1; zeros where there is none. The three last ones are kept.
  const float *read(const float *plane, int row, int height) {
    float *to = v_.data() + static_cast<size_t>(row + 3) % 3 * stride_;
    if (row < 0 || row >= height)
      std::fill_n(to + 1, width_, 0.0f);
    else
      std::copy_n(plane + static_cast<size_t>(row) * width_, width_, to + 1);
    return to;
  }
  const float *kept(int row) const { return v_.data() + static_cast<size_t>(row + 3) % 3 * stride_; }

private:
  int width_;
  size_t stride_;
  std::vector<float> v_;
};

} // namespace

void openmp_depthwise(Planes of, const float *x, const float *w, float *y) {
  const size_t size = static_cast<size_t>(of.height) * of.width;
#pragma omp parallel
  {
    ThreeRows rows(of.width);
#pragma omp for
    for (int plane = 0; plane < of.images * of.channels; ++plane) {
      const float *from = x + plane * size, *k = w + static_cast<size_t>(plane % of.channels) * 9;
      const float k0 = k[0], k1 = k[1], k2 = k[2], k3 = k[3], k4 = k[4], k5 = k[5], k6 = k[6], k7 = k[7], k8 = k[8];
      rows.read(from, -1, of.height);
      rows.read(from, 0, of.height);
      for (int row = 0; row < of.height; ++row) {
        const float *below = rows.read(from, row + 1, of.height), *here = rows.kept(row), *above = rows.kept(row - 1);
        float *to = y + plane * size + static_cast<size_t>(row) * of.width;
#pragma omp simd
        for (int i = 0; i < of.width; ++i)
          to[i] = k0 * above[i] + k1 * above[i + 1] + k2 * above[i + 2] + k3 * here[i] + k4 * here[i + 1] +
                  k5 * here[i + 2] + k6 * below[i] + k7 * below[i + 1] + k8 * below[i + 2];
      }
    }
  }
}

// Each gradient of x gathers. x[r][c] is in y[r - dy + 1][c - dx + 1], by weight (dy, dx).
void openmp_depthwise_backward(Planes of, const float *x, float *gx, const float *w, float *gw, const float *gy) {
  const size_t size = static_cast<size_t>(of.height) * of.width;
#pragma omp parallel
  {
    ThreeRows rows(of.width);
#pragma omp for
    for (int channel = 0; channel < of.channels; ++channel) {
      const float *k = w + static_cast<size_t>(channel) * 9;
      const float k0 = k[0], k1 = k[1], k2 = k[2], k3 = k[3], k4 = k[4], k5 = k[5], k6 = k[6], k7 = k[7], k8 = k[8];
      float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0, s8 = 0;
      for (int image = 0; image < of.images; ++image) {
        const size_t plane = static_cast<size_t>(image) * of.channels + channel;
        const float *given = gy + plane * size;
        rows.read(given, -1, of.height);
        rows.read(given, 0, of.height);
        for (int row = 0; row < of.height; ++row) {
          const float *below = rows.read(given, row + 1, of.height), *here = rows.kept(row),
                      *above = rows.kept(row - 1);
          const size_t at = plane * size + static_cast<size_t>(row) * of.width;
          const float *v = x + at;
          float *to = gx + at;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4, s5, s6, s7, s8)
          for (int i = 0; i < of.width; ++i) {
            const float g0 = below[i + 2], g1 = below[i + 1], g2 = below[i], g3 = here[i + 2], g4 = here[i + 1],
                        g5 = here[i], g6 = above[i + 2], g7 = above[i + 1], g8 = above[i];
            to[i] += k0 * g0 + k1 * g1 + k2 * g2 + k3 * g3 + k4 * g4 + k5 * g5 + k6 * g6 + k7 * g7 + k8 * g8;
            s0 += v[i] * g0, s1 += v[i] * g1, s2 += v[i] * g2, s3 += v[i] * g3, s4 += v[i] * g4;
            s5 += v[i] * g5, s6 += v[i] * g6, s7 += v[i] * g7, s8 += v[i] * g8;
          }
        }
      }
      float *to = gw + static_cast<size_t>(channel) * 9;
      to[0] += s0, to[1] += s1, to[2] += s2, to[3] += s3, to[4] += s4, to[5] += s5, to[6] += s6, to[7] += s7;
      to[8] += s8;
    }
  }
}
