// Loops that run longer than a bound of theirs says which is one from above in another place.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void from_minimum(const float *x, float *y, int n, int rows, int w, unsigned a, unsigned b) {
  for (int r = 0; r < rows; ++r)
    for (unsigned k = min(a, b); k < n; ++k)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'from_minimum': it cannot be shown that 'y' is stored to a different element
      y[r * w + k] = x[r] * x[k];
}

// The low bits of a number are less than the number.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void from_low_bits(const float *x, float *y, int n, int rows, int w, int a) {
  for (int r = 0; r < rows; ++r)
    for (int k = a & 255; k < n; ++k)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'from_low_bits': it cannot be shown that 'y' is stored to a different element
      y[r * w + k] = x[r] * x[k];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void from_narrow(const float *x, float *y, int n, int rows, int w, int a) {
  for (int r = 0; r < rows; ++r)
    for (int k = static_cast<unsigned short>(a); k < n; ++k)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'from_narrow': it cannot be shown that 'y' is stored to a different element
      y[r * w + k] = x[r] * x[k];
}

// Counts and counters of few bits wrap around.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void narrow_count(const float *x, float *y, int rows, int w, unsigned char a, unsigned char b) {
  for (int r = 0; r < rows; ++r) {
    int k = 0;
    for (unsigned char c = a; c != b; ++c, ++k)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'narrow_count': it cannot be shown that 'y' is stored to a different element
      y[r * w + k] = x[r] * x[k];
  }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void narrow_start(const float *x, float *y, int n, int w) {
  for (int r = 0; r < 200; ++r)
    for (int k = 0; k < n - static_cast<unsigned char>(r + 100); ++k)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'narrow_start': it cannot be shown that 'y' is stored to a different element
      y[r * w + k] = x[r] * x[k];
}
