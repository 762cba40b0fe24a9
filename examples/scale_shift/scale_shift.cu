// The smallest example: one thread per element. Launch sizes, result and n come from the arguments of the call.

#include <kernix/kernix.h>

/// y = a * sin(x) + b, for each element
[[kernix::bind]]
__global__ void scale_shift(const float *__restrict__ x, [[kernix::shape("x")]] float *y, float a, float b,
                            [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = a * sinf(x[i]) + b;
}
