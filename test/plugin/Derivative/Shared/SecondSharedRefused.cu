// What a first derivative keeps in shared memory has a name in what is said of the second one.
// REQUIRES: cpu
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(2)]]
__global__ void bins_in_turn(const double *x, const int *at, double *y, int n) {
  __shared__ double bins[32];
  double a = x[threadIdx.x], sum = 0;
  for (int k = 0; k < n; ++k) {
    a = 0.5 * a + x[k];
    if (threadIdx.x < 32)
      bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[at[threadIdx.x]], tanh(a));
    __syncthreads();
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'bins_in_turn_bwd': the backward computes a loop again that reads 'bins_grad', whose contents this operation changes in a way that cannot be undone
    sum = 0.5 * sum + bins[at[threadIdx.x] / 2];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}
