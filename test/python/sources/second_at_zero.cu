// Numbers that are 0 and have derivatives, for test_second_at_zero.py.
#include <complex>
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable(2)]] __global__ void
#define OUTPUT [[kernix::shape("w")]] double *y, [[kernix::value("w.size(0)")]] int n
#define GLOBAL_INDEX static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)

struct Line {
  double slope, height;
};

/// Read in both branches, so that gradients are added behind them.
__device__ inline double at(const double &x, const Line &line) {
  return x > -1 ? line.slope * x + line.height : line.slope * line.height;
}

/// The thread's own element.
KERNEL own(const Line *z, const double *w, OUTPUT) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = at(w[i], z[i]);
}

KERNEL gathered(const Line *z, const double *w, const int *from, OUTPUT) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = at(w[i], z[from[i]]);
}

/// All threads of a warp add to one element, or of a block.
KERNEL of_warps([[kernix::diff(warp)]] const Line *z, const double *w, OUTPUT) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = at(w[i], z[i / 32]);
}
KERNEL of_block(const Line *z, const double *w, OUTPUT) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = at(w[i], z[0]);
}

/// Added once for all iterations, of which there may be none.
KERNEL in_loop(const Line *z, const double *w, OUTPUT) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  double sum = 0;
  for (int k = i; k < n; ++k)
    sum += at(w[k], z[i]) * w[k];
  y[i] = sum;
}

/// Read ahead of the branch that asks for it.
KERNEL seldom(const Line *z, const double *w, const int *from, OUTPUT) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  Line line = z[from[i]];
  y[i] = 1;
  if (w[i] > -1)
    y[i] = line.slope * line.height * w[i];
}

/// For one block of up to 128 threads.
KERNEL in_shared(const Line *z, const double *w, OUTPUT) {
  __shared__ Line lines[128];
  int i = threadIdx.x;
  if (i < n)
    lines[i] = z[i];
  __syncthreads();
  if (i >= n)
    return;
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += at(w[(k + i) % n], lines[k]);
  y[i] = sum;
}

/// Of real numbers, of which 1 has the logarithm 0.
KERNEL powers(const std::complex<double> *z, const double *w, OUTPUT) {
  int i = GLOBAL_INDEX;
  if (i >= n)
    return;
  std::complex<double> power = std::pow(w[i], z[i]);
  y[i] = power.real() + power.imag();
}

[[kernix::bind, kernix::differentiable(2)]] void
on_host(kernix::TensorView<const double> z, kernix::TensorView<const double> w, kernix::TensorView<double> y) {
  for (int i = 0; i < static_cast<int>(w.shape[0]); ++i)
    y(i) = w(i) > -1 ? z(i, 0) * w(i) + z(i, 1) : exp(w(i)) * z(i, 1) * z(i, 0);
}

/// The gradient at z of the line, or of lines added in a loop, as a function that is differentiated.
__device__ double on_line(double x, const double *z) { return x > -1 ? z[0] * x + z[1] : exp(z[1]) * z[0]; }
__device__ double in_steps(double x, const double *z, int steps) {
  double sum = 0;
  for (int k = 0; k < steps; ++k)
    if (x * k > -1)
      sum += (z[0] * x + k) * x;
    else
      sum += exp(z[1]) * z[0];
  return sum;
}
__device__ double slope(double x, const double *z, int steps) {
  double g = 0, gz[2] = {0, 0}, h = 0, hz[2] = {0, 0};
  kernix::bwd_diff<on_line>(x, &g, z, gz, 1.0);
  kernix::bwd_diff<in_steps>(x, &h, z, hz, steps, 1.0);
  return gz[0] + 2 * gz[1] + g * hz[0] + 3 * hz[1];
}
[[kernix::bind, kernix::differentiable]] __global__ void in_code(const Line *z, const double *w, OUTPUT) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = slope(w[i], &z[i].slope, i % 3);
}
