// Polygamma.cpp - digamma and polygamma, which neither libdevice nor the C library has.
//
// Compiled to bitcode when the plugin is built and linked into modules on demand, on every target: the functions it
// calls are canonical and are lowered there. No tables: a GPU would put them in memory.

#include "Canonical.h"

namespace {

// Beyond this the asymptotic series has converged.
template <class T> constexpr T far = T(sizeof(T) == 4 ? 6 : 11);

// Sum of B(2k) / (2k x^2k), k from 1.
template <class T> T digamma_series(T inverse_square) {
  T s = inverse_square;
  return s * (T(1.0 / 12) -
              s * (T(1.0 / 120) -
                   s * (T(1.0 / 252) -
                        s * (T(1.0 / 240) -
                             s * (T(1.0 / 132) - s * (T(691.0 / 32760) - s * (T(1.0 / 12) - s * T(3617.0 / 8160))))))));
}

template <class T> T positive_digamma(T x) {
  T result = 0;
  for (; x < far<T>; x += 1)
    result -= 1 / x;
  T inverse = 1 / x;
  return result + log(x) - T(0.5) * inverse - digamma_series(inverse * inverse);
}

// pi times the distance to the nearest integer: the difference is exact.
template <class T> T angle(T x) { return T(3.14159265358979323846) * (x - rint(x)); }

// Poles: infinite at 0 with the sign of -x, not a number at negative integers, as torch.digamma has it.
template <class T> T digamma(T x) {
  if (x > 0)
    return positive_digamma(x);
  if (x == 0)
    return -1 / x;
  if (x == rint(x))
    return T(__builtin_nan(""));
  return positive_digamma(1 - x) - T(3.14159265358979323846) / tan(angle(x));
}

template <class T> T power(T x, int n) {
  T result = 1;
  for (; n > 0; --n)
    result *= x;
  return result;
}

template <class T> T factorial(int n) {
  T result = 1;
  for (; n > 1; --n)
    result *= T(n);
  return result;
}

// n! times the sum of 1 / (x + k)^(n + 1), k from 0, for x > 0.
template <class T> T positive_sum(int n, T x) {
  T direct = 0;
  for (T limit = far<T> + T(n); x < limit; x += 1)
    direct += 1 / power(x, n + 1);
  // (n - 1)! / x^n + n! / (2 x^(n + 1)) + sum of B(2k) (2k + n - 1)! / ((2k)! x^(2k + n)), in units of n! / x^n.
  T inverse = 1 / x, square = inverse * inverse;
  T term = square * T(0.5) * T(n + 1); // (2k + n - 1)! / ((2k)! n! x^2k) at k = 1
  T tail = 1 / T(n) + T(0.5) * inverse;
  for (int k = 1; k <= 8; ++k) {
    T bernoulli = k == 1   ? T(1.0 / 6)
                  : k == 2 ? T(-1.0 / 30)
                  : k == 3 ? T(1.0 / 42)
                  : k == 4 ? T(-1.0 / 30)
                  : k == 5 ? T(5.0 / 66)
                  : k == 6 ? T(-691.0 / 2730)
                  : k == 7 ? T(7.0 / 6)
                           : T(-3617.0 / 510);
    tail += bernoulli * term;
    term *= square * T(2 * k + n) * T(2 * k + n + 1) / (T(2 * k + 1) * T(2 * k + 2));
  }
  return factorial<T>(n) * (direct + tail * power(inverse, n));
}

constexpr int most_powers = 18;

// The n-th derivative of pi cot(pi x). Each derivative of a polynomial P in the cotangent c is -pi (1 + c^2) P'(c).
template <class T> T cotangent_derivative(int n, T x) {
  if (n + 2 > most_powers)
    return T(__builtin_nan(""));
  T coefficients[most_powers] = {0, 1};
  T next[most_powers];
  for (int step = 0; step < n; ++step) {
    for (int i = 0; i < most_powers; ++i) {
      T up = i + 1 < most_powers ? T(i + 1) * coefficients[i + 1] : T(0);
      T down = i >= 1 ? T(i - 1) * coefficients[i - 1] : T(0);
      next[i] = -(up + down);
    }
    for (int i = 0; i < most_powers; ++i)
      coefficients[i] = next[i];
  }
  T c = 1 / tan(angle(x));
  T value = coefficients[n + 1]; // not 0 * c, which is no number at a pole
  for (int i = n; i >= 0; --i)
    value = value * c + coefficients[i];
  return value * power(T(3.14159265358979323846), n + 1);
}

template <class T> T polygamma(int n, T x) {
  if (n == 0)
    return digamma(x);
  T sign = n % 2 == 0 ? T(-1) : T(1);
  if (x > 0)
    return sign * positive_sum(n, x);
  if (x != x)
    return x;
  if (x == rint(x)) // a pole: of even order if n is odd
    return n % 2 == 1 ? T(__builtin_inf()) : x == 0 ? -1 / x : T(__builtin_nan(""));
  // psi_n(1 - x) - (-1)^n psi_n(x) = (-1)^n d^n/dx^n pi cot(pi x)
  T reflected = sign * positive_sum(n, 1 - x);
  return (n % 2 == 0 ? reflected : -reflected) - cotangent_derivative(n, x);
}

} // namespace

extern "C" float kernix_library_digamma_f32(float x) { return digamma(x); }
extern "C" double kernix_library_digamma_f64(double x) { return digamma(x); }
extern "C" float kernix_library_polygamma_f32(int n, float x) { return polygamma(n, x); }
extern "C" double kernix_library_polygamma_f64(int n, double x) { return polygamma(n, x); }
