// Loops and stores of which a backward kernel has room for so many. See test_limits.py.
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable]] __global__ void
#define OUTPUT [[kernix::intent(out_return), kernix::shape("x")]] double *y

KERNEL decay(const double *x, OUTPUT, long long n) {
  double v = x[threadIdx.x];
  for (long long k = 0; k < n; ++k)
    v -= 1e-8 * v * v;
  y[threadIdx.x] = v;
}

/// Every number is multiplied by its neighbour, in one of `every` iterations.
KERNEL products(const double *x, OUTPUT, int n, int every) {
  __shared__ double s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (k % every)
      continue;
    double v = s[(t + 1) % blockDim.x];
    __syncthreads();
    s[t] *= v;
    __syncthreads();
  }
  y[t] = s[t];
}
