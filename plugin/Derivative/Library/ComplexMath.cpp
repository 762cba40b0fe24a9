// ComplexMath.cpp - functions of complex numbers, by functions of real ones, where the target has none.
//
// That is on a GPU, with the formulas that std::complex has there. Each part of a result is a function of its own, and
// of the other part nothing is left once it is inlined.

#include "Canonical.h"

namespace {

template <class T> struct Complex {
  T real, imaginary;
};

template <class T> Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}

template <class T> T magnitude(T x) { return copysign(x, T(1)); }

template <class T> Complex<T> polar(T size, T angle) { return {size * cos(angle), size * sin(angle)}; }

template <class T> Complex<T> complex_exp(Complex<T> z) { return polar(exp(z.real), z.imaginary); }

template <class T> Complex<T> complex_log(Complex<T> z) {
  return {log(hypot(z.real, z.imaginary)), atan2(z.imaginary, z.real)};
}

template <class T> Complex<T> complex_sqrt(Complex<T> z) {
  T larger = sqrt((hypot(z.real, z.imaginary) + magnitude(z.real)) * T(0.5));
  if (larger == 0)
    return {0, z.imaginary};
  T smaller = z.imaginary / (2 * larger);
  if (z.real >= 0)
    return {larger, smaller};
  return {magnitude(smaller), copysign(larger, z.imaginary)};
}

template <class T> Complex<T> complex_sin(Complex<T> z) {
  return {sin(z.real) * cosh(z.imaginary), cos(z.real) * sinh(z.imaginary)};
}

template <class T> Complex<T> complex_cos(Complex<T> z) {
  return {cos(z.real) * cosh(z.imaginary), -sin(z.real) * sinh(z.imaginary)};
}

template <class T> Complex<T> complex_sinh(Complex<T> z) {
  return {sinh(z.real) * cos(z.imaginary), cosh(z.real) * sin(z.imaginary)};
}

template <class T> Complex<T> complex_cosh(Complex<T> z) {
  return {cosh(z.real) * cos(z.imaginary), sinh(z.real) * sin(z.imaginary)};
}

// (t + i u) / (1 + i t u)
template <class T> Complex<T> complex_tanh(Complex<T> z) {
  T t = tanh(z.real), u = tan(z.imaginary), scale = 1 / (1 + t * u * t * u);
  return {t * (1 + u * u) * scale, u * (1 - t * t) * scale};
}

// f(z) = -i g(i z)
template <class T> Complex<T> complex_tan(Complex<T> z) {
  Complex<T> y = complex_tanh(Complex<T>{-z.imaginary, z.real});
  return {y.imaginary, -y.real};
}

template <class T> Complex<T> complex_asinh(Complex<T> z) {
  T x = z.real, y = z.imaginary;
  return complex_log(z + complex_sqrt(Complex<T>{(x - y) * (x + y) + 1, 2 * x * y}));
}

template <class T> Complex<T> complex_asin(Complex<T> z) {
  Complex<T> y = complex_asinh(Complex<T>{-z.imaginary, z.real});
  return {y.imaginary, -y.real};
}

template <class T> Complex<T> complex_acos(Complex<T> z) {
  Complex<T> y = complex_asin(z);
  return {T(1.57079632679489661923) - y.real, -y.imaginary};
}

template <class T> Complex<T> complex_acosh(Complex<T> z) {
  T half = z.imaginary * T(0.5);
  Complex<T> sum =
      complex_sqrt(Complex<T>{(z.real + 1) * T(0.5), half}) + complex_sqrt(Complex<T>{(z.real - 1) * T(0.5), half});
  Complex<T> y = complex_log(sum);
  return {2 * y.real, 2 * y.imaginary};
}

template <class T> Complex<T> complex_atan(Complex<T> z) {
  T x = z.real, y = z.imaginary;
  T above = (y + 1) * (y + 1) + x * x, below = (y - 1) * (y - 1) + x * x;
  return {T(0.5) * atan2(2 * x, 1 - x * x - y * y), T(0.25) * log(above / below)};
}

template <class T> Complex<T> complex_atanh(Complex<T> z) {
  Complex<T> y = complex_atan(Complex<T>{-z.imaginary, z.real});
  return {y.imaginary, -y.real};
}

template <class T> Complex<T> complex_div(Complex<T> a, Complex<T> b) {
  T size = hypot(b.real, b.imaginary), x = b.real / size, y = b.imaginary / size;
  return {(a.real * x + a.imaginary * y) / size, (a.imaginary * x - a.real * y) / size};
}

template <class T> Complex<T> complex_pow(Complex<T> z, Complex<T> exponent) {
  Complex<T> l = complex_log(z);
  return polar(exp(exponent.real * l.real - exponent.imaginary * l.imaginary),
               exponent.imaginary * l.real + exponent.real * l.imaginary);
}

// Of a positive number as pow has it. The CPU's std::complex computes it so, too.
template <class T> Complex<T> complex_pow_of_real(Complex<T> z, T exponent) {
  Complex<T> l = complex_log(z);
  bool is_positive = z.imaginary == 0 && z.real > 0;
  return polar(is_positive ? pow(z.real, exponent) : exp(exponent * l.real), exponent * l.imaginary);
}

} // namespace

#define KERNIX_PART(T, suffix, name, part, parameters, ...)                                                            \
  extern "C" T kernix_library_complex_##name##_##part##_##suffix parameters { return complex_##name(__VA_ARGS__).part; }
#define KERNIX_UNARY(name)                                                                                             \
  KERNIX_PART(float, f32, name, real, (float x, float y), Complex<float>{x, y})                                        \
  KERNIX_PART(float, f32, name, imaginary, (float x, float y), Complex<float>{x, y})                                   \
  KERNIX_PART(double, f64, name, real, (double x, double y), Complex<double>{x, y})                                    \
  KERNIX_PART(double, f64, name, imaginary, (double x, double y), Complex<double>{x, y})
#define KERNIX_BINARY_PART(T, suffix, name, part)                                                                      \
  KERNIX_PART(T, suffix, name, part, (T x, T y, T u, T v), Complex<T>{x, y}, Complex<T>{u, v})
#define KERNIX_BINARY(name)                                                                                            \
  KERNIX_BINARY_PART(float, f32, name, real)                                                                           \
  KERNIX_BINARY_PART(float, f32, name, imaginary)                                                                      \
  KERNIX_BINARY_PART(double, f64, name, real)                                                                          \
  KERNIX_BINARY_PART(double, f64, name, imaginary)
KERNIX_UNARY(acos)
KERNIX_UNARY(acosh)
KERNIX_UNARY(asin)
KERNIX_UNARY(asinh)
KERNIX_UNARY(atan)
KERNIX_UNARY(atanh)
KERNIX_UNARY(cos)
KERNIX_UNARY(cosh)
KERNIX_UNARY(exp)
KERNIX_UNARY(log)
KERNIX_UNARY(sin)
KERNIX_UNARY(sinh)
KERNIX_UNARY(sqrt)
KERNIX_UNARY(tan)
KERNIX_UNARY(tanh)
KERNIX_BINARY(div)
KERNIX_BINARY(pow)
KERNIX_PART(float, f32, pow_of_real, real, (float x, float y, float exponent), Complex<float>{x, y}, exponent)
KERNIX_PART(float, f32, pow_of_real, imaginary, (float x, float y, float exponent), Complex<float>{x, y}, exponent)
KERNIX_PART(double, f64, pow_of_real, real, (double x, double y, double exponent), Complex<double>{x, y}, exponent)
KERNIX_PART(double, f64, pow_of_real, imaginary, (double x, double y, double exponent), Complex<double>{x, y}, exponent)
