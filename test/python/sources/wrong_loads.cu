// Loads that promise what is not so; kernix.load(..., checks=["accumulation"]) finds it.
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<double>;

[[kernix::bind, kernix::differentiable]] __global__ void shared_row(const View x, View y) {
  y[make_uint2(threadIdx.x, threadIdx.y)] = x.loadUniform(make_uint2(threadIdx.x, 0));
}

[[kernix::bind, kernix::differentiable]] __global__ void twice(const View long_name_of_a_tensor, View y) {
  unsigned i = kernix::global_index().x;
  if (i < y.size(0))
    y[i] = long_name_of_a_tensor.loadUniformOnce(i) * long_name_of_a_tensor.loadUniformOnce(i);
}

// As it should be: the gradient of `own` is added to twice by one thread.
[[kernix::bind, kernix::differentiable]] __global__ void right(const View own, const View once, View y) {
  unsigned i = kernix::global_index().x;
  if (i < y.size(0))
    y[i] = own.loadUniform(i) * own.loadUniform(i) + once.loadUniformOnce(i);
}
