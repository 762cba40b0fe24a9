// Derivatives that need scratch memory for the time of a call.
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable]] __global__ void
views(const kernix::DiffTensorViewAA<double> x, const kernix::DiffTensorViewR<double, 4> w,
      [[kernix::shape("x")]] kernix::DiffTensorViewAA<double> y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.size(0))
    y[i] = x[i] * x[i] * w[i % 3];
}

[[kernix::bind, kernix::differentiable]] __global__ void replicated(const float *x,
                                                                    [[kernix::diff(replicated, 4)]] const float *w,
                                                                    [[kernix::shape("x")]] float *y,
                                                                    [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] * w[i % 3];
}
