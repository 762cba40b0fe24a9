// What gpu_call.py compares with the same kernel in Pallas.
#include <kernix/kernix.h>

[[kernix::bind]] __global__ void scale(const float *x, float a, [[kernix::shape("x")]] float *y,
                                       [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i];
}
