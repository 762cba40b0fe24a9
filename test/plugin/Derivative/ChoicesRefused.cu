// What the source chooses and kernix cannot do yet is an error, never passed over.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

// CHECK: ChoicesRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'once': {{.*}}diff(once){{.*}} of 'x' is not available yet
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void once([[kernix::diff(once)]] const float *x, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void choice(const float *x, float *y, int n, int m) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  // CHECK: error: cannot differentiate 'choice': {{.*}}store{{.*}} on a loop is not available yet; remove it
  [[kernix::store]] for (int k = 0; k < m; ++k)
    v *= v;
  y[i] = v;
}
