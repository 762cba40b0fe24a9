// Of pointers to one variable the difference is an index; of pointers to two it leads nowhere that is known.
// REQUIRES: cpu
// RUN: %cpu-device -O1 -c %s -o /dev/null
// RUN: not %cpu-device -O1 -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --implicit-check-not=error: %s
// RUN: not %cpu-device -O0 -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --implicit-check-not=error: %s
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable]] __global__ void

#ifndef REFUSED
KERNEL within_one(const double *x, double *y) {
  double a[8];
  for (int k = 0; k < 8; ++k)
    a[k] = x[threadIdx.x] * k;
  double *p = a;
  while (*p < 2 && p - a < 7)
    ++p;
  [[kernix::no_diff]] long at = p - a;
  y[threadIdx.x] = a[at] * a[(p - a + 1) & 7] * x[p - a];
}
#else
KERNEL read_from_another(const double *x, double *y) {
  double v = x[threadIdx.x] * x[threadIdx.x], w = 3;
  long way = &v - &w;
  // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'read_from_another': it is reached by the difference of pointers to different variables
  y[threadIdx.x] = (&w)[way];
}

KERNEL stored_to_another(const double *x, double *y) {
  double v = 1, w = 3;
  long way = &v - &w;
  // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'stored_to_another': it is reached by the difference of pointers to different variables
  (&w)[way] = x[threadIdx.x] * x[threadIdx.x];
  y[threadIdx.x] = v * x[threadIdx.x];
}

KERNEL by_constant_way(const double *x, double *y) {
  double v = x[threadIdx.x], w = 3;
  [[kernix::no_diff]] long way = &v - &w;
  // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'by_constant_way': it is reached by the difference of pointers to different variables
  y[threadIdx.x] = (&w)[way];
}

KERNEL between_tensors(const double *x, const double *z, double *y) {
  // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'between_tensors': it is reached by the difference of pointers to different variables
  y[threadIdx.x] = x[z - x + threadIdx.x];
}
#endif
