// test/benchmark/compile/sources/kernel.cu - one small kernel with everything declared; repeated, the file of many.

#include <kernix/kernix.h>

/// y = a * sin(x) + b
[[kernix::bind, kernix::grid("ceil_div(n, block.x)"), kernix::block(256)]]
__global__ void scale_shift(const float *__restrict__ x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                            float a, float b, [[kernix::value("x.numel()")]] int n) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n)
    return;
  y[i] = a * sinf(x[i]) + b;
}
