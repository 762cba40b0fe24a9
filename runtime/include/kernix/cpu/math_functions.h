// kernix/cpu/math_functions.h - what CUDA's math library has beyond C's: min and max for all pairs of types, rsqrt,
// sinpi, erfinv, normcdf, Bessel functions, norms, and float overloads of them.
//
// Callable on both sides, as in CUDA. C's own functions are the C library's; single precision functions without a
// counterpart there are computed in double precision and rounded once.
#ifndef KERNIX_CPU_MATH_FUNCTIONS_H
#define KERNIX_CPU_MATH_FUNCTIONS_H

#include "keywords.h"

#include <math.h>

// ---- min and max, for the pairs of types for which CUDA has them ----

#define KERNIX_CPU_MIN_MAX(result, left, right)                                                                        \
  KERNIX_CPU_BOTH constexpr result min(left a, right b) {                                                              \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b);          \
  }                                                                                                                    \
  KERNIX_CPU_BOTH constexpr result max(left a, right b) {                                                              \
    return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b);          \
  }

#define KERNIX_CPU_INTEGER_MIN_MAX(type)                                                                               \
  KERNIX_CPU_MIN_MAX(type, type, type)                                                                                 \
  KERNIX_CPU_MIN_MAX(unsigned type, unsigned type, unsigned type)                                                      \
  KERNIX_CPU_MIN_MAX(unsigned type, type, unsigned type)                                                               \
  KERNIX_CPU_MIN_MAX(unsigned type, unsigned type, type)

KERNIX_CPU_INTEGER_MIN_MAX(int)
KERNIX_CPU_INTEGER_MIN_MAX(long)
KERNIX_CPU_INTEGER_MIN_MAX(long long)
#undef KERNIX_CPU_INTEGER_MIN_MAX
#undef KERNIX_CPU_MIN_MAX

// fmin and fmax: the number if one is a NaN.
KERNIX_CPU_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
KERNIX_CPU_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
KERNIX_CPU_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
KERNIX_CPU_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
KERNIX_CPU_BOTH double min(float a, double b) { return __builtin_fmin(a, b); }
KERNIX_CPU_BOTH double max(float a, double b) { return __builtin_fmax(a, b); }
KERNIX_CPU_BOTH double min(double a, float b) { return __builtin_fmin(a, b); }
KERNIX_CPU_BOTH double max(double a, float b) { return __builtin_fmax(a, b); }

KERNIX_CPU_BOTH unsigned umin(unsigned a, unsigned b) { return min(a, b); }
KERNIX_CPU_BOTH unsigned umax(unsigned a, unsigned b) { return max(a, b); }
KERNIX_CPU_BOTH long long llmin(long long a, long long b) { return min(a, b); }
KERNIX_CPU_BOTH long long llmax(long long a, long long b) { return max(a, b); }
KERNIX_CPU_BOTH unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
KERNIX_CPU_BOTH unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// ---- Helpers of this file ----

namespace kernix_cpu_math {

// pi times the distance of x from the nearest multiple of one half, and that multiple's quadrant. Exact up to the
// product: fmod and the difference do not round.
struct Quadrant {
  double angle;
  int quadrant;
};

KERNIX_CPU_BOTH Quadrant reduce_turns(double x) {
  double remainder = __builtin_fmod(x, 2.0);
  double halves = __builtin_rint(2.0 * remainder);
  return {3.14159265358979323846 * (remainder - 0.5 * halves), halves == halves ? static_cast<int>(halves) & 3 : 0};
}

KERNIX_CPU_BOTH double sin_pi(double x) {
  Quadrant q = reduce_turns(x);
  if (q.angle == 0.0 && (q.quadrant & 1) == 0)
    return __builtin_copysign(0.0, x);
  double value = q.quadrant & 1 ? __builtin_cos(q.angle) : __builtin_sin(q.angle);
  return q.quadrant & 2 ? -value : value;
}

KERNIX_CPU_BOTH double cos_pi(double x) {
  Quadrant q = reduce_turns(x);
  if (q.angle == 0.0 && (q.quadrant & 1) == 1)
    return 0.0;
  double value = q.quadrant & 1 ? __builtin_sin(q.angle) : __builtin_cos(q.angle);
  return q.quadrant == 1 || q.quadrant == 2 ? -value : value;
}

// exp(x * x) * erfc(x). The rounding error of the square is put back; where erfc underflows, the asymptotic series has
// converged.
KERNIX_CPU_BOTH double erfcx(double x) {
  if (x < 25.0) {
    double square = x * x;
    double error = __builtin_fma(x, x, -square);
    double power = __builtin_exp(square);
    if (power == __builtin_inf())
      return power;
    return (power + power * error) * __builtin_erfc(x);
  }
  double inverse = 1.0 / x;
  double t = 0.5 * inverse * inverse;
  double series = 1.0;
  for (int k = 13; k >= 1; k -= 2)
    series = 1.0 - k * t * series;
  return 0.56418958354775628695 * inverse * series;
}

// Newton's method on log(erfc), which is concave, from a rational start; the last step works on erfc itself.
KERNIX_CPU_BOTH double erfc_inverse_small(double z) {
  double t = __builtin_sqrt(-2.0 * __builtin_log(0.5 * z));
  double y = 0.70710678118654752440 * (t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t)));
  double target = __builtin_log(z);
  for (int i = 0; i < 3; ++i)
    y += 0.88622692545275801365 * erfcx(y) * (__builtin_log(erfcx(y)) - y * y - target);
  return y + 0.88622692545275801365 * erfcx(y) * (__builtin_erfc(y) / z - 1.0);
}

KERNIX_CPU_BOTH double erf_inverse_middle(double x) {
  double y = 0.88622692545275801365 * x * (1.0 + x * x * (0.26179938779914943654 + x * x * 0.14393173084921979));
  for (int i = 0; i < 4; ++i)
    y -= 0.88622692545275801365 * __builtin_exp(y * y) * (__builtin_erf(y) - x);
  return y;
}

KERNIX_CPU_BOTH double erf_inverse(double x);

KERNIX_CPU_BOTH double erfc_inverse(double z) {
  if (!(z >= 0.0 && z <= 2.0))
    return __builtin_nan("");
  if (z == 0.0)
    return __builtin_inf();
  if (z == 2.0)
    return -__builtin_inf();
  if (z < 0.5)
    return erfc_inverse_small(z);
  if (z > 1.5)
    return -erfc_inverse_small(2.0 - z);
  return erf_inverse_middle(1.0 - z);
}

KERNIX_CPU_BOTH double erf_inverse(double x) {
  double size = __builtin_fabs(x);
  if (size < 0.5)
    return x == 0.0 ? x : erf_inverse_middle(x);
  return __builtin_copysign(erfc_inverse(1.0 - size), x);
}

// The rounding error of x / sqrt(2) would show many times over in the tail, so it is put back to first order.
KERNIX_CPU_BOTH double normal_cdf(double x) {
  double y = -x * 0.70710678118654752440;
  double value = 0.5 * __builtin_erfc(y);
  if (!(y > 1.0 && y < 40.0))
    return value;
  double error = __builtin_fma(-x, 0.70710678118654752440, -y) + x * 4.8336466567264567e-17;
  return value * (1.0 - error * 1.12837916709551257390 / erfcx(y));
}

// One Newton step from the reciprocal of the cube root. Products are split into value and rounding error, because what
// is left of 1 - x * r^3 is of the size of those errors.
KERNIX_CPU_BOTH double reciprocal_cube_root(double x) {
  double r = 1.0 / __builtin_cbrt(x);
  double p = x * r, q = r * r;
  double error = __builtin_fma(x, r, -p) * q + p * __builtin_fma(r, r, -q);
  double step = r * (__builtin_fma(-p, q, 1.0) - error) * 0.33333333333333333333;
  return step == step ? r + step : r;
}

// Sum of (x / 2)^(2k + order) / (k! (k + order)!): all terms of one sign. Beyond 20 the asymptotic series.
KERNIX_CPU_BOTH double bessel_i(int order, double x) {
  double size = __builtin_fabs(x);
  double value;
  if (size <= 20.0) {
    double quarter = 0.25 * size * size;
    double term = order == 0 ? 1.0 : 0.5 * size;
    value = term;
    for (int k = 1; term > value * 1e-18; ++k) {
      term *= quarter / (static_cast<double>(k) * (k + order));
      value += term;
    }
  } else if (size < 1000.0) {
    double term = 1.0;
    value = 1.0;
    for (int k = 1; __builtin_fabs(term) > 1e-18 && k < 60; ++k) {
      double odd = 2.0 * k - 1.0;
      term *= (odd * odd - 4.0 * order) / (8.0 * k * size);
      value += term;
    }
    double root = __builtin_exp(0.5 * size);
    value = root * (value / __builtin_sqrt(6.28318530717958647693 * size)) * root;
  } else {
    value = size * __builtin_inf();
  }
  return order == 0 ? value : __builtin_copysign(value, x);
}

// hypot scales its arguments, so nested calls neither overflow nor underflow on the way. Functions of their own because
// their derivative at the origin is not that of the nested calls.
KERNIX_CPU_BOTH double norm_of_three(double x, double y, double z) { return __builtin_hypot(__builtin_hypot(x, y), z); }
KERNIX_CPU_BOTH double norm_of_four(double x, double y, double z, double w) {
  return __builtin_hypot(__builtin_hypot(x, y), __builtin_hypot(z, w));
}

} // namespace kernix_cpu_math

// ---- Double and single precision under CUDA's names ----

KERNIX_CPU_BOTH double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
KERNIX_CPU_BOTH float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
KERNIX_CPU_BOTH double rcbrt(double x) { return kernix_cpu_math::reciprocal_cube_root(x); }
KERNIX_CPU_BOTH float rcbrtf(float x) { return static_cast<float>(1.0 / __builtin_cbrt(static_cast<double>(x))); }

KERNIX_CPU_BOTH double fdivide(double x, double y) { return x / y; }
KERNIX_CPU_BOTH float fdividef(float x, float y) { return x / y; }

// One argument: NAME and NAMEf from a double precision function.
#define KERNIX_CPU_FUNCTION(name, expression)                                                                          \
  KERNIX_CPU_BOTH double name(double x) { return expression; }                                                         \
  KERNIX_CPU_BOTH float name##f(float single) {                                                                        \
    double x = single;                                                                                                 \
    return static_cast<float>(expression);                                                                             \
  }                                                                                                                    \
  KERNIX_CPU_BOTH float name(float single) { return name##f(single); }

KERNIX_CPU_FUNCTION(sinpi, kernix_cpu_math::sin_pi(x))
KERNIX_CPU_FUNCTION(cospi, kernix_cpu_math::cos_pi(x))
KERNIX_CPU_FUNCTION(erfinv, kernix_cpu_math::erf_inverse(x))
KERNIX_CPU_FUNCTION(erfcinv, kernix_cpu_math::erfc_inverse(x))
KERNIX_CPU_FUNCTION(erfcx, kernix_cpu_math::erfcx(x))
KERNIX_CPU_FUNCTION(normcdf, kernix_cpu_math::normal_cdf(x))
KERNIX_CPU_FUNCTION(normcdfinv, -1.41421356237309504880 * kernix_cpu_math::erfc_inverse(2.0 * x))
KERNIX_CPU_FUNCTION(cyl_bessel_i0, kernix_cpu_math::bessel_i(0, x))
KERNIX_CPU_FUNCTION(cyl_bessel_i1, kernix_cpu_math::bessel_i(1, x))
#undef KERNIX_CPU_FUNCTION

KERNIX_CPU_BOTH void sincospi(double x, double *sine, double *cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
KERNIX_CPU_BOTH void sincospif(float x, float *sine, float *cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}

KERNIX_CPU_BOTH double rhypot(double x, double y) { return 1.0 / __builtin_hypot(x, y); }
KERNIX_CPU_BOTH double norm3d(double x, double y, double z) { return kernix_cpu_math::norm_of_three(x, y, z); }
KERNIX_CPU_BOTH double norm4d(double x, double y, double z, double w) {
  return kernix_cpu_math::norm_of_four(x, y, z, w);
}
KERNIX_CPU_BOTH double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
KERNIX_CPU_BOTH double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
KERNIX_CPU_BOTH double norm(int dimension, const double *components) {
  double value = 0.0;
  for (int i = 0; i < dimension; ++i)
    value = __builtin_hypot(value, components[i]);
  return value;
}
KERNIX_CPU_BOTH double rnorm(int dimension, const double *components) { return 1.0 / norm(dimension, components); }

KERNIX_CPU_BOTH float rhypotf(float x, float y) {
  return static_cast<float>(rhypot(static_cast<double>(x), static_cast<double>(y)));
}
KERNIX_CPU_BOTH float norm3df(float x, float y, float z) { return static_cast<float>(norm3d(x, y, z)); }
KERNIX_CPU_BOTH float norm4df(float x, float y, float z, float w) { return static_cast<float>(norm4d(x, y, z, w)); }
KERNIX_CPU_BOTH float rnorm3df(float x, float y, float z) { return static_cast<float>(rnorm3d(x, y, z)); }
KERNIX_CPU_BOTH float rnorm4df(float x, float y, float z, float w) { return static_cast<float>(rnorm4d(x, y, z, w)); }
KERNIX_CPU_BOTH float normf(int dimension, const float *components) {
  double value = 0.0;
  for (int i = 0; i < dimension; ++i)
    value = __builtin_hypot(value, static_cast<double>(components[i]));
  return static_cast<float>(value);
}
KERNIX_CPU_BOTH float rnormf(int dimension, const float *components) {
  double value = 0.0;
  for (int i = 0; i < dimension; ++i)
    value = __builtin_hypot(value, static_cast<double>(components[i]));
  return static_cast<float>(1.0 / value);
}

// ---- Single precision under the names of the double precision functions ----

KERNIX_CPU_BOTH float rsqrt(float x) { return rsqrtf(x); }
KERNIX_CPU_BOTH float rcbrt(float x) { return rcbrtf(x); }
KERNIX_CPU_BOTH float fdivide(float x, float y) { return x / y; }
KERNIX_CPU_BOTH float rhypot(float x, float y) { return rhypotf(x, y); }
KERNIX_CPU_BOTH float norm3d(float x, float y, float z) { return norm3df(x, y, z); }
KERNIX_CPU_BOTH float norm4d(float x, float y, float z, float w) { return norm4df(x, y, z, w); }
KERNIX_CPU_BOTH float rnorm3d(float x, float y, float z) { return rnorm3df(x, y, z); }
KERNIX_CPU_BOTH float rnorm4d(float x, float y, float z, float w) { return rnorm4df(x, y, z, w); }
KERNIX_CPU_BOTH float norm(int dimension, const float *components) { return normf(dimension, components); }
KERNIX_CPU_BOTH float rnorm(int dimension, const float *components) { return rnormf(dimension, components); }
KERNIX_CPU_BOTH float exp10(float x) { return ::exp10f(x); }
KERNIX_CPU_BOTH float j0(float x) { return ::j0f(x); }
KERNIX_CPU_BOTH float j1(float x) { return ::j1f(x); }
KERNIX_CPU_BOTH float jn(int n, float x) { return ::jnf(n, x); }
KERNIX_CPU_BOTH float y0(float x) { return ::y0f(x); }
KERNIX_CPU_BOTH float y1(float x) { return ::y1f(x); }
KERNIX_CPU_BOTH float yn(int n, float x) { return ::ynf(n, x); }
KERNIX_CPU_BOTH void sincos(float x, float *sine, float *cosine) { ::sincosf(x, sine, cosine); }
KERNIX_CPU_BOTH void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }

#endif
