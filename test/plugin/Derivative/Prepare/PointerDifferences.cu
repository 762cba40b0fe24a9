// Of pointers to one variable the difference is an index; of pointers to two it leads nowhere that is known.
// REQUIRES: cpu
// RUN: %cpu-device -O1 -c %s -o /dev/null
// RUN: not %cpu-device -O1 -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --implicit-check-not=error: %s
// RUN: not %cpu-device -O0 -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --implicit-check-not=error: %s
#include <algorithm>
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

KERNEL two_searches(const double *x, const double *grid, double *y) {
  __shared__ double a[32], table[1024];
  a[threadIdx.x] = threadIdx.x * .1;
  for (int k = threadIdx.x; k < 1024; k += 32)
    table[k] = x[threadIdx.x] * k;
  __syncthreads();
  int row = std::lower_bound(a, a + 31, x[threadIdx.x]) - a;
  int column = std::lower_bound(grid, grid + 31, x[threadIdx.x]) - grid;
  y[threadIdx.x] = table[row * 32 + column];
}

KERNEL search_in_one_of_two(const double *x, double *y) {
  __shared__ double a[32], b[32], table[64];
  a[threadIdx.x] = threadIdx.x * .1;
  table[threadIdx.x] = table[threadIdx.x + 32] = x[threadIdx.x];
  __syncthreads();
  double *now = a, *next = b, sum = 0;
  for (int round = 0; round < 4; ++round) {
    const double *at = std::lower_bound(now, now + 31, 1.7);
    sum += table[(at - now) * 2] * table[at - now];
    next[threadIdx.x] = now[threadIdx.x] * 2;
    __syncthreads();
    std::swap(now, next);
  }
  y[threadIdx.x] = sum;
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

KERNEL between_chosen(const double *x, const bool *first, double *y) {
  double a[4] = {x[0], x[1], x[2], x[3]}, b[4] = {1, 2, 3, 4};
  const double *one = *first ? a : b, *other = *first ? b : a;
  // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'between_chosen': it is reached by the difference of pointers to different variables
  y[threadIdx.x] = one[(other - one) + threadIdx.x];
}

KERNEL from_an_earlier_round(const double *x, int n, double *y) {
  double a[4] = {x[0], x[1], x[2], x[3]}, b[4] = {1, 2, 3, 4};
  double *now = a, *next = b, *before;
  double sum = 0;
  for (int round = 0; round < n; ++round) {
    if (round)
      // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'from_an_earlier_round': it is reached by the difference of pointers to different variables
      sum += now[before - now];
    before = now + 1;
    std::swap(now, next);
  }
  y[threadIdx.x] = sum;
}

KERNEL way_in_array(const double *x, const int *k, double *y) {
  double a[4] = {x[0], x[1], x[2], x[3]}, b[4] = {1, 2, 3, 4};
  long ways[2] = {b - a, 0};
  double *q = a + ways[k[threadIdx.x]];
  // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'way_in_array': it is reached by the difference of pointers to different variables
  y[threadIdx.x] = q[1] + b[k[threadIdx.x]];
}
#endif
