// A pointer that leads to more places than are told apart: the message says how many are.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

#define PLACES(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define PARAMETER(k) const float *x##k,
#define CASE(k)                                                                                                        \
  case k:                                                                                                              \
    p = x##k;                                                                                                          \
    break;

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void seventeen(PLACES(PARAMETER) const float *x16, float *y, int which) {
  const float *p = x16;
  switch (which) { PLACES(CASE) }
  // CHECK: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'seventeen': it cannot be followed where this pointer leads: it leads to 17 places, and at most 16 are told apart; choose between the values, or use an index into one array
  y[threadIdx.x] = p[threadIdx.x] * p[threadIdx.x];
}

#define SUM(k) v##k +
#define VARIABLE(k) float v##k = x[k] * x[k];
#define ADDRESS(k)                                                                                                     \
  case k:                                                                                                              \
    p = &v##k;                                                                                                         \
    break;
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void variables(const float *x, float *y, int which, int other) {
  PLACES(VARIABLE)
  float v16 = x[16], *p = &v16;
  switch (which) { PLACES(ADDRESS) }
  // CHECK: :[[#@LINE+2]]:9: error: cannot differentiate 'variables': this pointer leads to a local variable or to a local variable, and it cannot be followed which of them is meant: it leads to 17 places, and at most 16 are told apart; choose between the values, or use an index into one array
  // CHECK: :[[#@LINE+1]]:6: error: cannot differentiate 'variables': this pointer leads to a local variable or to a local variable, and it cannot be followed which of them is meant: it leads to 17 places, and at most 16 are told apart; choose between the values, or use an index into one array
  *p *= *p;
  y[threadIdx.x] = PLACES(SUM) v16 + *p;
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void sixteen(PLACES(PARAMETER) float *y, int which) {
  const float *p = x0;
  switch (which) { PLACES(CASE) }
  y[threadIdx.x] = p[threadIdx.x] * p[threadIdx.x];
}
