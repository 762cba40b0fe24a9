// one_value_openmp.cpp - threads take runs of numbers; the gradient of the value is a reduction.
#include "workloads.h"

void openmp_one_value(int n, const float *x, const float *w, float *y) {
  const float a = *w;
#pragma omp parallel for simd
  for (int i = 0; i < 4 * n; ++i)
    y[i] = a * x[i] * x[i];
}

void openmp_one_value_backward(int n, const float *x, float *gx, const float *w, float *gw, const float *gy) {
  const float a = 2 * *w;
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (int i = 0; i < 4 * n; ++i) {
    gx[i] += a * gy[i] * x[i];
    sum += gy[i] * x[i] * x[i];
  }
  *gw += sum;
}
