// What is said of a loop is not said of one in another file that has the same line and column.
// RUN: %cpu-device -O1 -fplugin-arg-kernix-Rkernix -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

#line 100 "header.h"
__device__ inline float power(float v, int n) {
  float s = v;
  for (int k = 0; k < n; ++k)
    s = s * s * v;
  return s;
}
#line 100 "source.cu"
__device__ inline float short_power(float v, int n) {
  float s = v; [[kernix::max_iters(3)]]
  for (int k = 0; k < n; ++k)
    s = s * s * v;
  return s;
}
[[kernix::bind, kernix::differentiable(backward)]] __global__ void f(const float *x, float *y, int n) {
  y[threadIdx.x] = power(x[threadIdx.x], n) + short_power(x[threadIdx.x], n);
}
// CHECK-DAG: remark: derivative of 'f': {{.*}} as checkpoints
// CHECK-DAG: remark: derivative of 'f': {{.*}} for each of at most 3 iterations
