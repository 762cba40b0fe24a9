// What test_jax.py calls with arrays of JAX.
#include <complex>
#include <cuda_fp16.h>
#include <kernix/kernix.h>
#include <stdexcept>

using In = kernix::TensorView<const float>;
using Out = kernix::TensorView<float>;

struct Line {
  float slope;
  int order;
  double offsets[2];
};

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

template <class T>
[[kernix::bind, kernix::instantiate("float", "double"), kernix::differentiable(2)]] __global__ void
cube(const T *x, [[kernix::shape("x")]] T *y, [[kernix::diff]] T scale = 1, int n [[kernix::value("x.numel()")]] = 0) {
  if (int i = INDEX; i < n)
    y[i] = scale * x[i] * x[i] * x[i];
}

[[kernix::bind, kernix::differentiable]] __global__ void step(const double *x, [[kernix::intent(inout_ptr)]] double *y,
                                                              int n [[kernix::value("x.numel()")]]) {
  if (int i = INDEX; i < n)
    y[i] = y[i] * x[i] + x[i];
}

[[kernix::bind, kernix::differentiable]] __global__ void
weighted(const double *x, const double *w, [[kernix::shape("x")]] double *y, [[kernix::shape("1")]] double *sum,
         int n [[kernix::value("x.numel()")]], int m [[kernix::value("w.numel()")]]) {
  if (int i = INDEX; i < n) {
    y[i] = x[i] * w[i % m];
    atomicAdd(sum, sin(x[i]));
  }
}

[[kernix::bind, kernix::differentiable]] __global__ void with_bias(const double *x,
                                                                   [[kernix::optional]] const double *bias,
                                                                   [[kernix::shape("x")]] double *y,
                                                                   int n [[kernix::value("x.numel()")]]) {
  if (int i = INDEX; i < n)
    y[i] = x[i] + (bias ? bias[i] : 0);
}

[[kernix::bind]] __global__ void twice(const double *x, double *y, int n) {
  if (int i = INDEX; i < n)
    y[i] = 2 * x[i];
}

[[kernix::bind, kernix::differentiable]] __global__ void
transposed(kernix::TensorView<const double> x,
           [[kernix::shape("x.size(1)", "x.size(0)")]] kernix::TensorView<double> y) {
  int i = INDEX;
  if (i < x.size(0) * x.size(1)) {
    int row = i / x.size(1), column = i % x.size(1);
    y(column, row) = x(row, column) * x(row, column);
  }
}

[[kernix::bind, kernix::differentiable]] __global__ void moved(const float3 *points,
                                                               [[kernix::shape("points")]] float3 *y, const float *by,
                                                               int n [[kernix::value("points.numel()")]]) {
  if (int i = INDEX; i < n)
    y[i] = make_float3(points[i].x * by[0], points[i].y * by[1], points[i].z * by[2]);
}

[[kernix::bind]] __global__ void on_line(const float *x, [[kernix::shape("x")]] float *y, Line line,
                                         int n [[kernix::value("x.numel()")]]) {
  if (int i = INDEX; i < n)
    y[i] = line.slope * x[i] + line.order + line.offsets[1];
}

[[kernix::bind]] __global__ void total(const float *x, [[kernix::intent(out_return), kernix::shape("2")]] float *sums,
                                       int n [[kernix::value("x.numel()")]]) {
  if (INDEX == 0) {
    sums[0] = sums[1] = 0;
    for (int k = 0; k < n; ++k) {
      sums[0] += x[k];
      sums[1] += x[k] * x[k];
    }
  }
}

// A host function whose result is a tensor that the call allocates.
__global__ void negate(In x, Out y) {
  if (INDEX < x.numel())
    y.data()[INDEX] = -x.data()[INDEX];
}
[[kernix::bind]] void negated(In x, [[kernix::intent(out_return), kernix::shape("x")]] Out y, cudaStream_t stream) {
  negate<<<1, 32, 0, stream>>>(x, y);
}

// The first element tells what arrived.
[[kernix::bind]] void scalars([[kernix::shape("9")]] Out y, bool b, signed char c, unsigned short u, long long l,
                              unsigned long long big, __half h, std::complex<float> z, const char *text) {
#ifdef __KERNIX_CPU__
  const float values[] = {float(b),        float(c), float(u), float(l),      float(big >> 60),
                          __half2float(h), z.real(), z.imag(), float(text[1])};
  for (int k = 0; k < 9; ++k)
    y(k) = values[k];
#endif
}

[[kernix::bind]] void fails(In x, [[kernix::shape("x")]] Out y) { throw std::runtime_error("the reason, with ü"); }
[[kernix::bind]] float number(In x) { return 3; }
