// What handler_cost.py compares with by_hand.cpp: the same function, bound.
#include <kernix/kernix.h>

[[kernix::bind]] void scale(kernix::TensorView<const float> x, float a,
                            [[kernix::shape("x")]] kernix::TensorView<float> y) {
  const float *from = x.data();
  float *to = y.data();
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i)
    to[i] = a * from[i];
}

[[kernix::bind]] __global__ void scale_kernel(const float *x, float a, [[kernix::shape("x")]] float *y,
                                              [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i];
}
