// embedding_openmp.cpp - threads copy rows; in the backward pass a thread owns words.
#include "workloads.h"
#include <cstddef>
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

// Each thread looks at all ids. Words that are asked for often have low numbers, and go round the threads.
void openmp_embedding_backward(int n, const float *, float *gtable, const int *ids, const float *gy) {
#pragma omp parallel
  {
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    for (int i = 0; i < n; ++i) {
      if (threads > 1 && ids[i] % threads != thread)
        continue;
      const float *g = gy + static_cast<size_t>(i) * COLUMNS;
      float *to = gtable + static_cast<size_t>(ids[i]) * COLUMNS;
#pragma omp simd
      for (int k = 0; k < COLUMNS; ++k)
        to[k] += g[k];
    }
  }
}
