// Views of complex numbers and of structs of them, with derivatives.

#include <complex>
#include <kernix/kernix.h>

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

using kernix::TensorView;
using Complex = std::complex<double>;
struct Two {
  Complex u, v;
};
struct Row {
  Complex at[3];
};

template <class T>
[[kernix::bind, kernix::differentiable(2), kernix::instantiate("float", "double")]] __global__ void
turn(TensorView<const std::complex<T>> a, TensorView<const std::complex<T>> b,
     [[kernix::shape("a")]] TensorView<std::complex<T>> z, [[kernix::value("a.numel()")]] int n) {
  if (int i = INDEX; i < n)
    z(i) = a(i) * a(i) * b(i);
}

[[kernix::bind, kernix::differentiable]] __global__ void
plane(TensorView<const Complex> a, TensorView<const double> x,
      [[kernix::shape("a.size(0)", "a.size(1)")]] TensorView<Complex> z, [[kernix::value("a.numel()")]] int n) {
  if (int t = INDEX; t < n) {
    int i = t / a.size(1), j = t % a.size(1);
    z(i, j) = std::conj(a(i, j)) * a(i, j) * x(j) + a(0, j);
  }
}

// Each part by itself.
[[kernix::bind, kernix::differentiable]] __global__ void
parts(TensorView<const Complex> a, [[kernix::shape("a")]] TensorView<Complex> z, [[kernix::value("a.numel()")]] int n) {
  if (int i = INDEX; i < n) {
    z(i).real(a(i).real() * a(i).imag());
    z(i).imag(a(i).imag() * a(i).imag());
  }
}

[[kernix::bind, kernix::differentiable]] __global__ void grow(TensorView<const double> x,
                                                              [[kernix::intent(inout_ptr)]] TensorView<Complex> z,
                                                              [[kernix::value("x.numel()")]] int n) {
  if (int i = INDEX; i < n)
    z(i) = z(i) * z(i) * x(i);
}

[[kernix::bind, kernix::differentiable]] __global__ void
product(TensorView<const Two> a, [[kernix::shape("n")]] TensorView<Complex> z, [[kernix::value("a.size(0)")]] int n) {
  if (int i = INDEX; i < n)
    z(i) = a(i).u * a(i).v * a(i).v;
}

[[kernix::bind, kernix::differentiable]] __global__ void
neighbours(TensorView<const Row> a, [[kernix::shape("n")]] TensorView<Row> z, [[kernix::value("a.size(0)")]] int n) {
  if (int i = INDEX; i < n)
    for (int k = 0; k < 3; ++k)
      z(i).at[k] = a(i).at[k] * a(i).at[(k + 1) % 3];
}

// Elements that several threads read, or one thread in a loop.
[[kernix::bind, kernix::differentiable]] __global__ void gather(TensorView<const Complex> a,
                                                                TensorView<const Complex> b,
                                                                [[kernix::shape("n")]] TensorView<Complex> z,
                                                                [[kernix::value("2 * a.numel()")]] int n) {
  if (int i = INDEX; i < n)
    z(i) = a(i / 2) * b(0) * std::conj(a(0));
}

[[kernix::bind, kernix::differentiable]] __global__ void
matmul(TensorView<const Complex> a, TensorView<const Complex> b,
       [[kernix::shape("a.size(0)", "b.size(1)")]] TensorView<Complex> z,
       [[kernix::value("a.size(0) * b.size(1)")]] int n) {
  if (int t = INDEX; t < n) {
    int i = t / b.size(1), j = t % b.size(1);
    Complex sum = 0;
    for (int k = 0; k < a.size(1); ++k)
      sum += a(i, k) * b(k, j);
    z(i, j) = sum;
  }
}

[[kernix::bind, kernix::differentiable]] __global__ void newton(TensorView<const Complex> a,
                                                                [[kernix::shape("a")]] TensorView<Complex> z,
                                                                [[kernix::value("a.numel()")]] int n, int steps = 3) {
  if (int i = INDEX; i < n) {
    Complex root = a(i);
    for (int k = 0; k < steps; ++k)
      root -= (root * root * root - 1.0) / (3.0 * root * root);
    z(i) = root;
  }
}
