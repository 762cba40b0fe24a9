// Loads that promise what is not so, and stores of several threads to one element, which kernix.load(...,
// checks=["accumulation"]) finds.
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

// Elements that are assigned or plainly added to by one load, and added to by another one.
[[kernix::bind, kernix::differentiable]] __global__ void assigned(const View x, View y) {
  unsigned i = threadIdx.x, n = blockDim.x;
  y[i] = x.loadUniformOnce(i) * x.load((i + 1) % n);
}
[[kernix::bind, kernix::differentiable]] __global__ void assigned_by_one(const View x, View y) {
  unsigned i = threadIdx.x;
  y[i] = x.load(i) * x.loadUniformOnce(i);
}
[[kernix::bind, kernix::differentiable]] __global__ void plainly(const View x, View y) {
  unsigned i = threadIdx.x;
  y[i] = x.loadUniform(i) * x.loadFixed(3);
}
[[kernix::bind, kernix::differentiable]] __global__ void mixed(const View x, View y) {
  unsigned i = threadIdx.x, n = blockDim.x;
  y[i] = x.loadUniform(i) * x.load(i) + x.load(n + i) * x.load(n + (i + 1) % n);
}

// The same of what the source says of other tensors: an element that two threads read, and one that is read again.
[[kernix::bind, kernix::differentiable]] __global__ void pairs([[kernix::diff(unique)]] const float *weights,
                                                               const float *x, [[kernix::shape("x")]] float *y,
                                                               [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * weights[i / 2];
}
[[kernix::bind, kernix::differentiable]] __global__ void
rows([[kernix::diff(unique)]] const kernix::TensorView<double> table, [[kernix::shape("table")]] double *y) {
  unsigned i = threadIdx.x, k = threadIdx.y;
  y[i * blockDim.y + k] = table(i, k) * table(i, 1);
}
[[kernix::bind, kernix::differentiable]] __global__ void vectors([[kernix::diff(once)]] const float4 *v,
                                                                 const int *index, float *y) {
  int i = threadIdx.x;
  y[i] = v[index[2 * i]].z * v[index[2 * i + 1]].z;
}
[[kernix::bind, kernix::differentiable]] __global__ void
kept([[kernix::diff(unique)]] const double *own, [[kernix::diff(once)]] const kernix::TensorView<double> once,
     [[kernix::shape("own")]] double *y, [[kernix::value("own.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = own[i] * own[n - 1 - (n - 1 - i)] * once(i);
}

[[kernix::bind, kernix::differentiable]] __global__ void neighbours(const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
  y[i + 1] = 2 * x[i];
}
[[kernix::bind, kernix::differentiable]] __global__ void scattered(const View x, const int *places, View y) {
  y[make_int2(places[threadIdx.x], 1)] = x.load(threadIdx.x);
}
[[kernix::bind, kernix::differentiable]] __global__ void columns(const double *x, const int *places,
                                                                 kernix::TensorView<double> y) {
  y(places[threadIdx.x], 1) = x[threadIdx.x];
}
// The last of one thread's stores counts; of an in-out tensor the cotangent is the gradient, too.
[[kernix::bind, kernix::differentiable]] __global__ void own_stores([[kernix::diff(unique)]] double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
  if (i % 2)
    y[i] = 2 * x[i];
  x[i] = x[i] * x[i];
}
