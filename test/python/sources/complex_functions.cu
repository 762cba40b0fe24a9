// Functions of complex numbers, with derivatives.

#include <complex>
#include <cuComplex.h>
#include <kernix/kernix.h>

#define UNARY(name)                                                                                                    \
  template <class T>                                                                                                   \
  [[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]] __global__ void name(            \
      const std::complex<T> *z, [[kernix::shape("z")]] std::complex<T> *y, [[kernix::value("z.numel()")]] int n) {     \
    if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)                                                          \
      y[i] = std::name(z[i]);                                                                                          \
  }
#define BINARY(name, Z, W, expression)                                                                                 \
  template <class T>                                                                                                   \
  [[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]] __global__ void name(            \
      const Z *z, const W *w, [[kernix::shape("z")]] std::complex<T> *y, [[kernix::value("z.numel()")]] int n) {       \
    if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)                                                          \
      y[i] = expression;                                                                                               \
  }
#define TO_REAL(name)                                                                                                  \
  template <class T>                                                                                                   \
  [[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]] __global__ void name(            \
      const std::complex<T> *z, [[kernix::shape("z")]] T *y, [[kernix::value("z.numel()")]] int n) {                   \
    if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)                                                          \
      y[i] = std::name(z[i]);                                                                                          \
  }

namespace kernels {
UNARY(exp)
UNARY(log)
UNARY(log10)
UNARY(sqrt)
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
UNARY(conj)
TO_REAL(abs)
TO_REAL(arg)
TO_REAL(norm)
TO_REAL(real)
TO_REAL(imag)
BINARY(polar, T, T, std::polar(z[i] * z[i], w[i]))
BINARY(cube, std::complex<T>, T, w[i] * std::pow(z[i], 3))
BINARY(pow, std::complex<T>, std::complex<T>, std::pow(z[i], w[i]))
BINARY(pow_of_real, std::complex<T>, T, std::pow(z[i], w[i]))
BINARY(pow_of_complex, std::complex<T>, T, std::pow(w[i], z[i]))
BINARY(times, std::complex<T>, std::complex<T>, z[i] * w[i])
BINARY(over, std::complex<T>, std::complex<T>, z[i] / w[i])
BINARY(over_real, std::complex<T>, T, z[i] / w[i])
BINARY(real_over, std::complex<T>, T, w[i] / z[i])

[[kernix::bind, kernix::differentiable]] __global__ void
size(const cuDoubleComplex *z, [[kernix::shape("z.size(0)")]] double *y, [[kernix::value("z.size(0)")]] int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    y[i] = cuCabs(z[i]);
}
} // namespace kernels
