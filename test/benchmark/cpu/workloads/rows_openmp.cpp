// rows_openmp.cpp - layer norm and softmax: threads take rows.
#include "workloads.h"
#include <algorithm>
#include <cmath>
#include <cstddef>

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

// -- softmax --------------------------------------------------------------------------------------------------------

namespace {

/// Lane by lane: a reduction would not be one of vectors, because of NaN.
float largest_of(const float *v) {
  constexpr int LANES = 64;
  float lanes[LANES];
  std::copy_n(v, LANES, lanes);
  for (int k = LANES; k < COLUMNS; k += LANES)
#pragma omp simd
    for (int lane = 0; lane < LANES; ++lane)
      lanes[lane] = std::max(lanes[lane], v[k + lane]);
  return *std::max_element(lanes, lanes + LANES);
}

} // namespace

void openmp_softmax(int rows, const float *x, float *y) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const float *v = x + static_cast<size_t>(row) * COLUMNS;
    float *to = y + static_cast<size_t>(row) * COLUMNS;
    const float largest = largest_of(v);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < COLUMNS; ++k) {
      to[k] = std::exp(v[k] - largest);
      sum += to[k];
    }
    const float inverse = 1 / sum;
#pragma omp simd
    for (int k = 0; k < COLUMNS; ++k)
      to[k] *= inverse;
  }
}

// From the result of the forward pass.
void openmp_softmax_backward(int rows, const float *, float *gx, const float *gy, const float *kept) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const float *v = kept + static_cast<size_t>(row) * COLUMNS, *g = gy + static_cast<size_t>(row) * COLUMNS;
    float *to = gx + static_cast<size_t>(row) * COLUMNS;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < COLUMNS; ++k)
      sum += g[k] * v[k];
#pragma omp simd
    for (int k = 0; k < COLUMNS; ++k)
      to[k] += v[k] * (g[k] - sum);
  }
}
