// openmp.cpp - the work of work.h as OpenMP loops by hand.
#include "work.h"

void openmp_saxpy(int n, float a, const float *x, float *y) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i)
    y[i] = a * x[i] + y[i];
}

void openmp_stencil(int n, const float *x, float *y) {
#pragma omp parallel for
  for (int j = 1; j < n - 1; ++j)
#pragma omp simd
    for (int i = 1; i < n - 1; ++i)
      y[j * n + i] = 0.5f * x[j * n + i] +
                     0.125f * (x[j * n + i - 1] + x[j * n + i + 1] + x[(j - 1) * n + i] + x[(j + 1) * n + i]);
}

void openmp_sum_tree(int n, const float *x, float *sum) {
  float total = 0;
#pragma omp parallel for simd reduction(+ : total)
  for (int i = 0; i < n; ++i)
    total += x[i];
  *sum = total;
}

void openmp_sum_stride(int n, const float *x, float *sum) { openmp_sum_tree(n, x, sum); }

void openmp_stride_map(int n, const float *x, float *y) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + 1;
}

void openmp_empty(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    asm volatile("");
}
