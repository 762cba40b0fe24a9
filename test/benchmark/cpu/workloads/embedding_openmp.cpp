// embedding_openmp.cpp - threads copy rows; in the backward pass a thread owns words.
#include "workloads.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <omp.h>

namespace {
constexpr int COLUMNS = 64;
} // namespace

void openmp_embedding(int n, const float *table, const int *ids, float *y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    std::memcpy(y + static_cast<size_t>(i) * COLUMNS, table + static_cast<size_t>(ids[i]) * COLUMNS,
                COLUMNS * sizeof(float));
}

namespace {

/// Words that are asked for often have low numbers; they are spread over the threads. By multiplications: a remainder
/// for each id takes longer than its row.
inline int owner_of(int word, int threads) {
  const uint32_t spread = static_cast<uint32_t>(word) * 2654435761u;
  return static_cast<int>(static_cast<uint64_t>(spread) * static_cast<uint32_t>(threads) >> 32);
}

} // namespace

// Each thread looks at all ids.
void openmp_embedding_backward(int n, const float *, float *gtable, const int *ids, const float *gy) {
#pragma omp parallel
  {
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    for (int i = 0; i < n; ++i) {
      if (owner_of(ids[i], threads) != thread)
        continue;
      const float *g = gy + static_cast<size_t>(i) * COLUMNS;
      float *to = gtable + static_cast<size_t>(ids[i]) * COLUMNS;
#pragma omp simd
      for (int k = 0; k < COLUMNS; ++k)
        to[k] += g[k];
    }
  }
}
