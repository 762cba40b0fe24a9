// Functions that write every other element of what they return, for test_unwritten_elements.py.
#include <kernix/kernix.h>

#define COUNT [[kernix::value("x.numel()")]] int n
#define KERNEL [[kernix::bind, kernix::differentiable]] __global__ void

__device__ inline int thread_index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

KERNEL pointer(const double *x, [[kernix::shape("x")]] double *y, COUNT) {
  int i = thread_index();
  if (i < n && i % 2)
    y[i] = 3 * x[i];
}

KERNEL returned(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y, COUNT) {
  int i = thread_index();
  if (i < n && i % 2)
    y[i] = 3 * x[i];
}

KERNEL tensor_view(kernix::TensorView<const double> x, [[kernix::shape("x")]] kernix::TensorView<double> y, COUNT) {
  int i = thread_index();
  if (i < n && i % 2)
    y(i) = 3 * x(i);
}

KERNEL carried(const kernix::DiffTensorViewAA<double> x, [[kernix::shape("x")]] kernix::DiffTensorViewAA<double> y,
               COUNT) {
  int i = thread_index();
  if (i < n && i % 2)
    y[i] = 3 * x[i];
}

[[kernix::bind, kernix::differentiable]]
void by_the_host(kernix::TensorView<const double> x, [[kernix::shape("x")]] kernix::TensorView<double> y) {
  for (int64_t i = 1; i < x.numel(); i += 2)
    y(i) = 3 * x(i);
}
