// segments_openmp.cpp - rows are found by threads as they come; in the backward pass a thread owns rows of x.
#include "workloads.h"
#include <cstdint>
#include <cstring>
#include <omp.h>

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
