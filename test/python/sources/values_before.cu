// Kernels that change tensors whose values from before the call their derivatives read.
#include <kernix/kernix.h>

#define COUNT [[kernix::value("x.numel()")]] int n
#define KERNEL [[kernix::bind, kernix::differentiable]] __global__ void

__device__ inline int thread_index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// Integers that are given.
KERNEL counted(const double *x, [[kernix::shape("x")]] double *y, [[kernix::intent(inout_ptr)]] int *count, COUNT) {
  int i = thread_index();
  if (i >= n)
    return;
  count[i] += x[i] > 0;
  y[i] = count[i] * x[i] * x[i];
}

/// Numbers that are given, and constant for derivatives.
KERNEL weighted(const double *x, [[kernix::shape("x")]] double *y,
                [[kernix::no_diff, kernix::intent(inout_ptr)]] double *weight, COUNT) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = weight[i] * x[i] * x[i];
  weight[i] += 1;
}

/// Numbers, which may lie in what is changed.
KERNEL scaled(double *y, [[kernix::diff]] double by, [[kernix::value("y.numel()")]] int n) {
  int i = thread_index();
  if (i < n)
    y[i] *= by;
}

struct Factor {
  double by[2];
};

KERNEL scaled_by_struct(double *y, Factor factor, [[kernix::value("y.numel()")]] int n) {
  int i = thread_index();
  if (i < n)
    y[i] *= factor.by[0];
}

KERNEL product(const double *x, [[kernix::diff]] double by, [[kernix::shape("x")]] double *y, COUNT) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * by;
}

/// An output that is added to, and read.
KERNEL cubed(const double *x, [[kernix::shape("x")]] double *y, COUNT) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] += x[i];
  y[i] = y[i] * y[i] * y[i];
}

/// Integers that the call allocates.
KERNEL numbered(const double *x, [[kernix::shape("x")]] double *y, [[kernix::shape("x")]] int *number, COUNT) {
  int i = thread_index();
  if (i >= n)
    return;
  number[i] += i + 1;
  y[i] = number[i] * x[i] * x[i];
}

/// An output that is read back: its value from before the call is not.
KERNEL squared_and_scaled(const double *x, [[kernix::shape("x")]] double *y, [[kernix::shape("x")]] double *z, COUNT) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[i] * x[i];
  z[i] = y[i] * x[0];
}

/// An output that is only added to.
[[kernix::bind, kernix::differentiable, kernix::block(32), kernix::grid("ceil_div(n, 32)")]]
__global__ void total(const double *x, [[kernix::shape("1")]] double *y, COUNT) {
  int i = thread_index();
  if (i < n)
    atomicAdd(y, x[i] * x[i]);
}

/// Every other element.
KERNEL every_other(const double *x, double *y, COUNT) {
  int i = thread_index();
  if (i < n && i % 2 == 0)
    y[i] = x[i] * x[i];
}

KERNEL every_other_in_place(const double *x, [[kernix::intent(inout_ptr)]] double *y, COUNT) {
  int i = thread_index();
  if (i < n && i % 2 == 0)
    y[i] = x[i] * x[i];
}

#define TWICE                                                                                                          \
  [[kernix::bind, kernix::differentiable(2), kernix::block(32), kernix::grid("ceil_div(n, 32)")]] __global__ void

/// What may be left out, and is changed where it is given.
KERNEL optional_in_place(const double *x, [[kernix::optional]] double *y, COUNT) {
  int i = thread_index();
  if (i < n && y)
    y[i] = y[i] * y[i] * x[i] * x[i];
}

TWICE optional_written(const double *x, [[kernix::optional]] double *y, COUNT) {
  int i = thread_index();
  if (i < n && y)
    y[i] = x[i] * x[i] * x[i];
}

TWICE optional_sum(const double *x, [[kernix::optional]] double *y, COUNT) {
  int i = thread_index();
  if (i < n && y)
    atomicAdd(y, x[i] * x[i] * x[i]);
}

TWICE optional_count(const double *x, [[kernix::shape("x")]] double *y, [[kernix::optional]] int *count, COUNT) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = count ? x[i] * x[i] * count[i] : x[i];
  if (count)
    count[i] += 1;
}

TWICE optional_flags(const double *x, [[kernix::shape("x")]] double *y, [[kernix::optional]] int *flags, COUNT) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = flags ? x[i] * x[i] : x[i];
  if (flags)
    flags[i] = 1;
}

/// An integer that the call allocates and adds to.
TWICE count_beside(const double *x, [[kernix::shape("x")]] double *y, [[kernix::shape("1")]] int *count, COUNT) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[i] * x[i] * x[i];
  atomicAdd(count, 1);
}
