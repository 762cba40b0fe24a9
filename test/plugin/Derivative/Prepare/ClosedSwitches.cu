// `continue` out of a scope with variables is a switch with a default that nothing comes to. All threads come to the
// barrier in the loop around it.
// RUN: %cpu-device -c %s -o /dev/null 2>&1 | FileCheck --allow-empty %s
#include <kernix/kernix.h>

// CHECK-NOT: error:
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void passed_over(const double *x, const double *w, double *y, int n, int k) {
  __shared__ double s[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = i < n ? x[i] : 0.0, a = v, b = 1;
  bool done = i >= n;
  for (int tile = 0; tile < k; ++tile) {
    __syncthreads();
    if (threadIdx.x < 32)
      s[threadIdx.x] = w[tile * 32 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 32 && !done; ++j) {
      if (a > 9) {
        done = true;
        break;
      }
      if (s[j] <= 0.28) {
        double near = v * s[j];
        if (near <= 0.449) {
          switch ((j + i) % 3) {
          case 0:
            b += s[(j + 1) % 32];
            break;
          default:
            a += near;
          }
          if (s[j] > 0.1)
            continue;
        }
      }
      double next = a + v;
      if (s[j] > -0.11)
        a = next;
      else if (s[j] * v > 0.436)
        break;
    }
  }
  if (i < n)
    y[i] = a * b;
}
