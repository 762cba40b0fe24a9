// Functions of complex numbers, holomorphic and not, with derivatives.

#include <complex>
#include <kernix/kernix.h>

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define COUNT(x) [[kernix::value(#x ".numel()")]] int n

// From real numbers to complex ones, and back.
template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]] __global__ void
spiral(const T *x, [[kernix::shape("x")]] std::complex<T> *z, COUNT(x)) {
  if (int i = INDEX; i < n)
    z[i] = std::complex<T>(x[i] * x[i], x[i] * x[i] * x[i]);
}
template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]] __global__ void
power(const std::complex<T> *z, [[kernix::shape("z")]] T *y, COUNT(z)) {
  if (int i = INDEX; i < n)
    y[i] = z[i].real() * (z[i].real() * z[i].real() + z[i].imag() * z[i].imag());
}

template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]] __global__ void
turn(const std::complex<T> *a, const std::complex<T> *b, [[kernix::shape("a")]] std::complex<T> *z, COUNT(a)) {
  if (int i = INDEX; i < n)
    z[i] = a[i] * a[i] * b[i];
}
template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]] __global__ void
mix(const std::complex<T> *a, const T *x, [[kernix::shape("a")]] std::complex<T> *z, COUNT(a)) {
  if (int i = INDEX; i < n)
    z[i] = std::conj(a[i]) * a[i] * x[i] + std::complex<T>(0, 1) * std::conj(a[i]);
}

// In place, and added to.
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "double")]] __global__ void
grow(const T *x, [[kernix::intent(inout_ptr)]] std::complex<T> *z, COUNT(x)) {
  if (int i = INDEX; i < n)
    z[i] = z[i] * z[i] * x[i];
}
template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double"), kernix::block(32),
  kernix::grid("ceil_div(n, 32)")]] __global__ void
total(const std::complex<T> *a, [[kernix::shape("1")]] std::complex<T> *z, COUNT(a)) {
  if (int i = INDEX; i < n) {
    std::complex<T> square = a[i] * a[i];
    T *parts = reinterpret_cast<T *>(z);
    atomicAdd(parts, square.real());
    atomicAdd(parts + 1, square.imag());
  }
}

// Scalars and structs.
using Complex = std::complex<double>;
struct Line {
  double slope;
  Complex offset;
};
struct Mixed {
  float scale;
  int order;
  Complex at;
  std::complex<float> rest[2];
};
struct Two {
  Complex u, v;
};
[[kernix::bind, kernix::differentiable(2)]] __global__ void scaled(const Complex *x, [[kernix::diff]] Complex a,
                                                                   [[kernix::shape("x")]] Complex *y, COUNT(x)) {
  if (int i = INDEX; i < n)
    y[i] = x[i] * a * a;
}
[[kernix::bind, kernix::differentiable]] __global__ void line(const Complex *x, [[kernix::diff]] Line s,
                                                              [[kernix::shape("x")]] Complex *y, COUNT(x)) {
  if (int i = INDEX; i < n)
    y[i] = x[i] * s.offset * s.slope;
}
[[kernix::bind, kernix::differentiable]] __global__ void mixed(const Complex *x, [[kernix::diff]] Mixed s,
                                                               [[kernix::shape("x")]] Complex *y, COUNT(x)) {
  if (int i = INDEX; i < n)
    y[i] = x[i] * s.at * Complex(s.scale) * double(s.order) * Complex(s.rest[1]);
}
[[kernix::bind, kernix::differentiable]] __global__ void product(const Two *x, [[kernix::shape("n")]] Complex *y,
                                                                 [[kernix::value("x.size(0)")]] int n) {
  if (int i = INDEX; i < n)
    y[i] = x[i].u * x[i].v * x[i].v;
}
[[kernix::bind, kernix::differentiable]] Complex host(Complex a, double b) { return a * a * b; }

// Whose backward is written by hand: gradients are derivatives by the two parts.
__global__ void square_backward(const Complex *a, Complex *a_grad, Complex *z, const Complex *z_grad, COUNT(a)) {
  if (int i = INDEX; i < n)
    a_grad[i] += z_grad[i] * std::conj(2.0 * a[i]);
}
[[kernix::bind, kernix::backward_derivative(&square_backward)]] __global__ void
square(const Complex *a, [[kernix::shape("a")]] Complex *z, COUNT(a)) {
  if (int i = INDEX; i < n)
    z[i] = a[i] * a[i];
}
