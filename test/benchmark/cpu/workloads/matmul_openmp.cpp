// matmul_openmp.cpp - products of matrices in blocks: of the left matrix some depth is packed for all threads, in tiles
// as tall as the results that fit into registers; a thread takes panels of columns, packs that of the right matrix,
// which stays in its first-level cache, and goes through the tiles.
#include "workloads.h"
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace {

#if defined(__AVX512F__)
constexpr int LANES = 16, TALL = 12;
#else
constexpr int LANES = 8, TALL = 6;
#endif
constexpr int WIDE = 2 * LANES, DEPTH = 256;
using Vector = float __attribute__((vector_size(LANES * sizeof(float)), aligned(4)));

/// A matrix, or the one that is turned: element (row, column) is at row * down + column * across.
struct Matrix {
  const float *at;
  size_t down, across;
  const float &operator()(int row, int column) const { return at[row * down + column * across]; }
};

/// to[depth][Many] = `Many` rows (columns) of `from` from `first` on, zeros behind the last one.
template <int Many, bool Columns> void pack(const Matrix &from, int first, int last, int begin, int depth, float *to) {
  for (int k = 0; k < depth; ++k)
    for (int r = 0; r < Many; ++r)
      to[k * Many + r] = first + r >= last ? 0 : Columns ? from(begin + k, first + r) : from(first + r, begin + k);
}

/// The results of one tile: a [depth][TALL] b [depth][WIDE].
inline void multiply(const float *a, const float *b, int depth, Vector (&sums)[TALL][2]) {
  for (int k = 0; k < depth; ++k, a += TALL, b += WIDE) {
    const Vector left = *reinterpret_cast<const Vector *>(b), right = *reinterpret_cast<const Vector *>(b + LANES);
#pragma unroll
    for (int r = 0; r < TALL; ++r) {
      sums[r][0] += a[r] * left;
      sums[r][1] += a[r] * right;
    }
  }
}

/// c [m, n] += a b, or c = a b unless `add`.
void product(Matrix a, Matrix b, float *c, int m, int n, int depth, bool add) {
  const int tiles = (m + TALL - 1) / TALL;
  const auto packed = std::make_unique<float[]>(static_cast<size_t>(tiles) * TALL * DEPTH);
#pragma omp parallel
  {
    alignas(64) float panel[DEPTH * WIDE];
    for (int begin = 0; begin < depth; begin += DEPTH) {
      const int deep = std::min(DEPTH, depth - begin);
#pragma omp for
      for (int tile = 0; tile < tiles; ++tile)
        pack<TALL, false>(a, tile * TALL, m, begin, deep, packed.get() + static_cast<size_t>(tile) * TALL * DEPTH);
#pragma omp for schedule(dynamic)
      for (int left = 0; left < n; left += WIDE) {
        pack<WIDE, true>(b, left, n, begin, deep, panel);
        for (int tile = 0; tile < tiles; ++tile) {
          Vector sums[TALL][2] = {};
          multiply(packed.get() + static_cast<size_t>(tile) * TALL * DEPTH, panel, deep, sums);
          for (int r = 0; r < std::min(TALL, m - tile * TALL); ++r) {
            float *to = c + static_cast<size_t>(tile * TALL + r) * n + left;
            for (int half = 0; half < 2; ++half)
              for (int s = 0; s < std::min(LANES, n - left - half * LANES); ++s)
                to[half * LANES + s] = sums[r][half][s] + (add || begin > 0 ? to[half * LANES + s] : 0);
          }
        }
      }
    }
  }
}

constexpr int COLUMNS = 2048;

Matrix as_is(const float *of, int columns) { return {of, static_cast<size_t>(columns), 1}; }
Matrix turned(const float *of, int columns) { return {of, 1, static_cast<size_t>(columns)}; }

} // namespace

void openmp_matmul(int m, int k, const float *a, const float *b, float *c) {
  product(as_is(a, k), as_is(b, COLUMNS), c, m, COLUMNS, k, false);
}

void openmp_matmul_backward(int m, int k, const float *a, float *ga, const float *b, float *gb, const float *gc) {
  product(as_is(gc, COLUMNS), turned(b, COLUMNS), ga, m, k, COLUMNS, true);
  product(turned(a, k), as_is(gc, COLUMNS), gb, k, COLUMNS, m, true);
}
