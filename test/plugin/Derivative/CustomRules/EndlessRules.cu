// Derivatives written in terms of themselves.
// RUN: not %cpu-device -O1 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-device -O0 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

__device__ float clipped(float a);
__device__ void clippedBackward(float a, float *ga, float g) {
  float whole = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the derivative of 'clipped' that is written by hand asks for the derivative of 'clipped', which is itself; let 'clipped' call a function without a rule, and ask for the derivative of that
  kernix::bwd_diff<clipped>(a, &whole, g);
  *ga += whole > 1 ? 1 : whole;
}
[[kernix::backward_derivative(clippedBackward)]] __device__ float clipped(float a) { return a * a; }

// One that comes to an end, and one of another function.
__device__ float steps(float a, int n);
__device__ void stepsBackward(float a, float *ga, int n, float g) {
  if (n > 0)
    kernix::bwd_diff<steps>(a, ga, n - 1, 2 * g);
  else
    *ga += g;
}
[[kernix::backward_derivative(stepsBackward)]] __device__ float steps(float a, int n) { return a * (1 << n); }
__device__ float square(float a) { return a * a; }
__device__ void boundedBackward(float a, float *ga, float g) {
  float whole = 0;
  kernix::bwd_diff<square>(a, &whole, g);
  *ga += whole > 1 ? 1 : whole;
}
[[kernix::backward_derivative(boundedBackward)]] __device__ float bounded(float a) { return square(a); }

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void all(const float *x, float *y) {
  y[threadIdx.x] = clipped(x[threadIdx.x]) + steps(x[threadIdx.x], 3) + bounded(x[threadIdx.x]);
}
