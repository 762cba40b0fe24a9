// A loop whose values come to nothing goes away, and with it blocks that nothing leads to any more: they have no reverse.
// RUN: %cpu-device -O3 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

__device__ double damp(double v) { return v / (1 + 0.1 * v * v); }

// CHECK-LABEL: define {{.*}}@_Z11nothing_bwd
// CHECK: ret void
[[kernix::bind, kernix::differentiable]]
__global__ void nothing(const double *x, const double *w, const int *k, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = w[2], u = exp(-v * v * 0.5);
  y[i] = v;
  for (int j = 0; j < 2; ++j)
    if (u > v && w[1] > 1.25) {
      if (j % 2 == 1 && (k[i * 3] * 2 + 1) % 2 == 1) {
      } else if (0.5 > x[i * 5 + 4] || (k[i * 3 + 1] + i) % 2 == 1) {
        int c = 0;
        while (c++ < 4 && pow(1.2 + v * v, -0.7) > u * u)
          v += damp(v - floor(v) + damp(x[i * 5 + 4]) > x[i * 5] ? v : w[1] / (1.5 + v * v));
      }
    }
}
