// lennard_jones_openmp.cpp - a thread takes some particles at a time, a loop of vectors over them for each neighbour.
// In the backward pass threads add to copies, which are added up by rows.
#include "workloads.h"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <omp.h>
#include <vector>

namespace {

constexpr int SOME = 64;

/// From the nearest image of `there` to `here`.
inline float apart(float here, float there, float box, float inverse) {
  const float r = here - there;
  return r - box * std::nearbyint(r * inverse);
}

} // namespace

void openmp_forces(Particles of, const float *x, float *y) {
  const float inverse = 1 / of.box, limit = of.reach * of.reach;
#pragma omp parallel for
  for (int start = 0; start < of.n; start += SOME) {
    const int count = std::min(SOME, of.n - start);
    alignas(64) float fx[SOME] = {}, fy[SOME] = {}, fz[SOME] = {}, energy[SOME] = {};
    for (int k = 0; k < of.count; ++k) {
      const int *neighbour = of.neighbours + static_cast<size_t>(k) * of.n + start;
      const float *here = x + 4 * static_cast<size_t>(start);
#pragma omp simd
      for (int i = 0; i < count; ++i) {
        const int j = neighbour[i];
        const float rx = apart(here[4 * i], x[4 * j], of.box, inverse);
        const float ry = apart(here[4 * i + 1], x[4 * j + 1], of.box, inverse);
        const float rz = apart(here[4 * i + 2], x[4 * j + 2], of.box, inverse);
        const float square = rx * rx + ry * ry + rz * rz;
        const float s = square < limit ? 1 / square : 0, s3 = s * s * s, along = (48 * s3 - 24) * s3 * s;
        fx[i] += along * rx;
        fy[i] += along * ry;
        fz[i] += along * rz;
        energy[i] += 2 * (s3 - 1) * s3;
      }
    }
    float *to = y + 4 * static_cast<size_t>(start);
#pragma omp simd
    for (int i = 0; i < count; ++i)
      to[4 * i] = fx[i], to[4 * i + 1] = fy[i], to[4 * i + 2] = fz[i], to[4 * i + 3] = energy[i];
  }
}

void openmp_forces_backward(Particles of, const float *x, float *gx, const float *gy) {
  const float inverse = 1 / of.box, limit = of.reach * of.reach;
  std::vector<float> copies;
#pragma omp parallel
  {
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();
#pragma omp single
    copies.resize(static_cast<size_t>(threads - 1) * of.n * 4);
    float *sums = thread == 0 ? gx : copies.data() + static_cast<size_t>(thread - 1) * of.n * 4;
#pragma omp for schedule(static)
    for (int start = 0; start < of.n; start += SOME) {
      const int count = std::min(SOME, of.n - start);
      alignas(64) float own[4 * SOME] = {}, given[4 * SOME];
      for (int k = 0; k < of.count; ++k) {
        const int *neighbour = of.neighbours + static_cast<size_t>(k) * of.n + start;
        const float *here = x + 4 * static_cast<size_t>(start), *g = gy + 4 * static_cast<size_t>(start);
#pragma omp simd
        for (int i = 0; i < count; ++i) {
          const int j = neighbour[i];
          const float rx = apart(here[4 * i], x[4 * j], of.box, inverse);
          const float ry = apart(here[4 * i + 1], x[4 * j + 1], of.box, inverse);
          const float rz = apart(here[4 * i + 2], x[4 * j + 2], of.box, inverse);
          const float square = rx * rx + ry * ry + rz * rz;
          const float s = square < limit ? 1 / square : 0, s3 = s * s * s, s4 = s3 * s;
          const float along = (48 * s3 - 24) * s4, change = (192 - 672 * s3) * s4 * s;
          const float factor =
              change * (g[4 * i] * rx + g[4 * i + 1] * ry + g[4 * i + 2] * rz) - 0.5f * g[4 * i + 3] * along;
          given[4 * i] = along * g[4 * i] + factor * rx;
          given[4 * i + 1] = along * g[4 * i + 1] + factor * ry;
          given[4 * i + 2] = along * g[4 * i + 2] + factor * rz;
          given[4 * i + 3] = 0;
        }
        for (int i = 0; i < 4 * count; ++i)
          own[i] += given[i];
        for (int i = 0; i < count; ++i)
          for (int c = 0; c < 4; ++c)
            sums[4 * static_cast<size_t>(neighbour[i]) + c] -= given[4 * i + c];
      }
      for (int i = 0; i < 4 * count; ++i)
        sums[4 * static_cast<size_t>(start) + i] += own[i];
    }
    // The loop before has ended for all.
    for (int copy = 0; copy < threads - 1; ++copy) {
      const float *from = copies.data() + static_cast<size_t>(copy) * of.n * 4;
#pragma omp for simd schedule(static)
      for (int i = 0; i < 4 * of.n; ++i)
        gx[i] += from[i];
    }
  }
}
