// hash_grid_openmp.cpp - a thread takes a level and some points at a time: the slots and weights of their corners are a
// loop of vectors. In the backward pass a level has one owner.
#include "workloads.h"
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace {

constexpr int SOME = 128;

struct Level {
  float scale;
  unsigned side, size;
  bool dense;
  Level(HashGrid of, int level) : size(static_cast<unsigned>(of.size)) {
    scale = 16 * std::exp2(static_cast<float>(level) * of.growth) - 1;
    side = static_cast<unsigned>(std::ceil(scale)) + 1;
    dense = side * side * side <= size;
  }
};

struct Corners {
  alignas(64) unsigned slots[8][SOME];
  alignas(64) float weights[8][SOME];

  template <bool Dense> void set(const Level &of, const float *x, int count) {
    const unsigned stepy = Dense ? of.side : 2654435761u, stepz = Dense ? of.side * of.side : 805459861u;
    const unsigned last = of.size - 1;
    const float scale = of.scale;
#pragma omp simd
    for (int i = 0; i < count; ++i) {
      const float px = x[3 * i] * scale, py = x[3 * i + 1] * scale, pz = x[3 * i + 2] * scale;
      // Of numbers that are not negative; the conversion to int is an instruction, that to unsigned is several.
      const int cx = static_cast<int>(px), cy = static_cast<int>(py), cz = static_cast<int>(pz);
      const float u = px - static_cast<float>(cx), v = py - static_cast<float>(cy), w = pz - static_cast<float>(cz);
      const unsigned xs[2] = {static_cast<unsigned>(cx), static_cast<unsigned>(cx) + 1};
      const unsigned ys[2] = {static_cast<unsigned>(cy) * stepy, (static_cast<unsigned>(cy) + 1) * stepy};
      const unsigned zs[2] = {static_cast<unsigned>(cz) * stepz, (static_cast<unsigned>(cz) + 1) * stepz};
      const float us[2] = {1 - u, u}, vw[4] = {(1 - v) * (1 - w), v * (1 - w), (1 - v) * w, v * w};
      for (int corner = 0; corner < 8; ++corner) {
        const unsigned a = xs[corner & 1], b = ys[corner >> 1 & 1], c = zs[corner >> 2];
        slots[corner][i] = Dense ? a + b + c : (a ^ b ^ c) & last;
        weights[corner][i] = us[corner & 1] * vw[corner >> 1];
      }
    }
  }

  void set(const Level &of, const float *x, int count) {
    of.dense ? set<true>(of, x, count) : set<false>(of, x, count);
  }
};

} // namespace

void openmp_encode(HashGrid of, int n, const float *x, const float *table, float *y) {
  const int runs = (n + SOME - 1) / SOME;
  // One level after the other: its table stays in the cache.
#pragma omp parallel for collapse(2) schedule(static)
  for (int level = 0; level < of.levels; ++level)
    for (int run = 0; run < runs; ++run) {
      const int start = run * SOME, count = std::min(SOME, n - start);
      Corners corners;
      corners.set(Level(of, level), x + 3 * start, count);
      const float *features = table + 2 * static_cast<size_t>(level) * of.size;
      float *to = y + 2 * (static_cast<size_t>(level) * n + start);
    // Not vectors of points: two gathers for each corner are slower than its two numbers side by side.
#pragma clang loop vectorize(disable)
      for (int i = 0; i < count; ++i) {
        float sums[2] = {};
        for (int corner = 0; corner < 8; ++corner)
          for (int feature = 0; feature < 2; ++feature)
            sums[feature] += corners.weights[corner][i] * features[2 * corners.slots[corner][i] + feature];
        to[2 * i] = sums[0];
        to[2 * i + 1] = sums[1];
      }
    }
}

void openmp_encode_backward(HashGrid of, int n, const float *x, const float *, float *gtable, const float *gy) {
#pragma omp parallel for schedule(dynamic)
  for (int level = 0; level < of.levels; ++level) {
    const Level here(of, level);
    float *sums = gtable + 2 * static_cast<size_t>(level) * of.size;
    const float *given = gy + 2 * static_cast<size_t>(level) * n;
    for (int start = 0; start < n; start += SOME) {
      const int count = std::min(SOME, n - start);
      Corners corners;
      corners.set(here, x + 3 * start, count);
      for (int i = 0; i < count; ++i) {
        const float first = given[2 * (start + i)], second = given[2 * (start + i) + 1];
        for (int corner = 0; corner < 8; ++corner) {
          const unsigned slot = corners.slots[corner][i];
          sums[2 * slot] += corners.weights[corner][i] * first;
          sums[2 * slot + 1] += corners.weights[corner][i] * second;
        }
      }
    }
  }
}
