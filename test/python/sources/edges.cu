// Functions at points where formulas that are right elsewhere are not: of test_edges.py.
#include <cmath>
#include <complex>
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable(2)]] __global__

template <class T>
KERNEL void interpolated(const T *a, const T *b, const T *t, [[kernix::intent(out_return), kernix::shape("a")]] T *y,
                         [[kernix::value("a.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = std::lerp(a[i], b[i], t[i]);
}
template __global__ void interpolated(const float *, const float *, const float *, float *, int);
template __global__ void interpolated(const double *, const double *, const double *, double *, int);

KERNEL void angle(const double *x, const double *y, [[kernix::intent(out_return), kernix::shape("x")]] double *z,
                  [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = std::arg(std::complex<double>(x[i], y[i]));
}

KERNEL void size(const double *x, const double *y, [[kernix::intent(out_return), kernix::shape("x")]] double *z,
                 [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = std::abs(std::complex<double>(x[i], y[i]));
}

KERNEL void length(const double *x, const double *y, [[kernix::intent(out_return), kernix::shape("x")]] double *z,
                   [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = std::hypot(x[i], y[i]);
}

KERNEL void root_of_size(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                         [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = sqrt(fabs(x[i])) + sqrt(copysign(x[i], 1.0));
}
