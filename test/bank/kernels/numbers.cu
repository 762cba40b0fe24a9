// Numbers: kinds of floating point, conversions between them, integers in between, mathematical functions.
#include "bank.h"

// bank: x in f32 [n] -1:1 | y out f32 [n] | n = 30 | @types f32
PLAIN_KERNEL void float_only(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = sinf(x[i]) * expf(x[i]) + sqrtf(1 + x[i] * x[i]);
}

// bank: x in f64 [n] -1:1 | y out f64 [n] | n = 30 | @types f64
PLAIN_KERNEL void double_only(const double *x, double *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = sin(x[i]) * exp(x[i]) + sqrt(1 + x[i] * x[i]);
}

// bank: x in f32 [n] -1:1 | y out f64 [n] | n = 30 | @types f32
PLAIN_KERNEL void float_to_double(const float *x, double *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  double v = x[i];
  y[i] = v * v * v + cos(v);
}

// bank: x in f64 [n] -1:1 | y out f32 [n] | n = 30 | @types f32
PLAIN_KERNEL void double_to_float(const double *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float v = static_cast<float>(x[i]);
  y[i] = static_cast<float>(v * static_cast<double>(v)) * x[i];
}

// bank: x in f16 [n] -1:1 | w in f16 [n] 0.5:1.5 | y out f16 [n] | n = 30 | @types f16
PLAIN_KERNEL void half_operators(const __half *x, const __half *w, __half *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  __half v = x[i] * w[i] + x[i];
  v -= w[i];
  y[i] = v / w[i] + -x[i];
}

// bank: x in f16 [n] -1:1 | w in f16 [n] 0.5:1.5 | y out f16 [n] | n = 30 | @types f16
PLAIN_KERNEL void half_intrinsics(const __half *x, const __half *w, __half *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  __half a = __hmul(x[i], w[i]);
  __half b = __hadd(a, __hsub(w[i], x[i]));
  y[i] = __hfma(a, b, __hneg(x[i]));
}

// bank: x in f16 [n] -1:1 | y out f32 [n] | n = 30 | @types f16
PLAIN_KERNEL void half_through_float(const __half *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float v = __half2float(x[i]);
  y[i] = v * v + sinf(v) * __half2float(__float2half(v * 0.5f));
}

// bank: x in f16 [n] 0.5:1.5 | y out f16 [n] | n = 30 | @types f16
PLAIN_KERNEL void half_functions(const __half *x, __half *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = hexp(x[i]) * hsqrt(x[i]) - hlog(x[i]);
}

// bank: x in bf16 [n] -1:1 | w in bf16 [n] 0.5:1.5 | y out bf16 [n] | n = 30 | @types bf16
PLAIN_KERNEL void bfloat_operators(const __nv_bfloat16 *x, const __nv_bfloat16 *w, __nv_bfloat16 *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  __nv_bfloat16 v = x[i] * w[i];
  y[i] = v + w[i] * x[i] - x[i];
}

// bank: x in bf16 [n] -1:1 | y out f32 [n] | n = 30 | @types bf16
PLAIN_KERNEL void bfloat_through_float(const __nv_bfloat16 *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float v = __bfloat162float(x[i]);
  y[i] = tanhf(v) * v + __bfloat162float(__float2bfloat16(v * v));
}

struct TwoBfloats {
  __nv_bfloat16 a, b;
};

// bank: x in bf16 [60] -1:1 | y out bf16 [60] | n = 30 | @types bf16
PLAIN_KERNEL void pairs_that_change_places(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  TwoBfloats pair = reinterpret_cast<const TwoBfloats *>(x)[i];
  reinterpret_cast<TwoBfloats *>(y)[i] = {pair.b, pair.a};
}

// bank: x in bf16 [60] -1:1 | y out bf16 [60] | n = 30 | @types bf16
PLAIN_KERNEL void pairs_of_which_one_changes(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  TwoBfloats pair = reinterpret_cast<const TwoBfloats *>(x)[i];
  pair.b = pair.a * pair.b;
  reinterpret_cast<TwoBfloats *>(y)[i] = pair;
}

// The window of two numbers that begins in the middle of a pair.
// bank: x in bf16 [60] -1:1 | y out bf16 [60] | n = 30 | @types bf16
PLAIN_KERNEL void pairs_across_integers(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  auto pairs = reinterpret_cast<const unsigned *>(x);
  unsigned here = pairs[i], next = pairs[(i + 1) % n];
  reinterpret_cast<unsigned *>(y)[i] = here >> 16 | next << 16;
}

// bank: x in bf16 [60] -1:1 | w in bf16 [60] -1:1 | y out bf16 [60] | n = 30 | @types bf16
PLAIN_KERNEL void pairs_by_masks(const __nv_bfloat16 *x, const __nv_bfloat16 *w, __nv_bfloat16 *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  unsigned first = reinterpret_cast<const unsigned *>(x)[i], second = reinterpret_cast<const unsigned *>(w)[i];
  unsigned mixed = (first & 0xffff0000u) | (second & 0xffffu);
  reinterpret_cast<unsigned *>(y)[i] = i % 3 ? mixed : first & 0xffffu;
}

// bank: x in bf16 [60] -1:1 | y out f32 [n] | n = 30 | @types bf16
PLAIN_KERNEL void pairs_read_as_floats(const __nv_bfloat16 *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  unsigned pair = reinterpret_cast<const unsigned *>(x)[i];
  y[i] = __uint_as_float(pair & 0xffff0000u) * sinf(__uint_as_float(pair << 16));
}

struct FourHalves {
  __half a, b, c, d;
};

// bank: x in f16 [120] -1:1 | y out f16 [120] | n = 30 | @types f16
PLAIN_KERNEL void fours_that_turn(const __half *x, __half *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  FourHalves v = reinterpret_cast<const FourHalves *>(x)[i];
  reinterpret_cast<FourHalves *>(y)[i] = {v.d, v.a, v.b, v.c};
}

// bank: x in [n] -2:2 | k in i32 [n] -3:4 | y out [n] | n = 30
KERNEL void integers_as_factors(const T *x, const int *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[i] * k[i] + T(k[i] * k[i]) / (1 + x[i] * x[i]);
}

// bank: x in [n] -2:2 | y out [n] | n = 30
KERNEL void constants_of_every_kind(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  constexpr T weights[] = {T(0.5), T(-1), T(2)};
  static constexpr int order[] = {2, 0, 1};
  const T v = x[i];
  y[i] = weights[order[i % 3]] * v * v + T(sizeof(int)) * v;
}

// bank: x in [n] -1:1 | y out [n] | n = 30
KERNEL void circular_functions(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  y[i] = sin(v) * cos(2 * v) + tan(v) + asin(v * T(0.9)) * acos(v * T(0.9)) + atan(v * 3) + atan2(v, 1 + v * v);
}

// bank: x in [n] -2:2 | y out [n] | n = 30
KERNEL void hyperbolic_functions(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  y[i] = sinh(v) - cosh(v) * tanh(v) + asinh(v) * acosh(2 + v * v) + atanh(v * T(0.4));
}

// bank: x in [n] 0.3:3 | y out [n] | n = 30
KERNEL void powers_and_logarithms(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  y[i] = exp(-v) + log(v) * exp2(v) - log2(v) * log10(v) + log1p(v) * expm1(v * T(0.5)) + pow(v, T(1.7)) +
         pow(T(2), v) + cbrt(v) + rsqrt(v) + sqrt(v);
}

// bank: x in [n] -2:2 | w in [n] 0.5:2 | y out [n] | n = 30
KERNEL void special_functions(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  y[i] = erf(v) * erfc(v * T(0.5)) + lgamma(w[i]) + tgamma(w[i] + 1) + hypot(v, w[i]) + fma(v, w[i], v);
}

// bank: x in [n] -2:2 | w in [n] 0.5:2 | y out [n] | n = 40
KERNEL void kinks_away_from_them(const T *x, const T *w, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  y[i] = fabs(v) + fmax(v, w[i]) * fmin(v, w[i] - 1) + floor(v * 2) * v + copysign(w[i], v) + fmod(v * 3, w[i]) +
         round(v) * w[i];
}

// bank: x in [n] -2:2 | y out [n] | n = 40
KERNEL void sine_and_cosine_together(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T s, c;
  if constexpr (sizeof(T) == 4)
    sincosf(x[i], &s, &c);
  else
    sincos(x[i], &s, &c);
  y[i] = s * c * c + s;
}

// bank: x in [n] -2:2 | y out [n] | n = 40
KERNEL void piecewise_polynomial(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  int cell = static_cast<int>(floor(v));
  T t = v - cell;
  y[i] = t * t * (3 - 2 * t) + cell;
}

// bank: x in [n] -2:2 | y out [n] | n = 40
KERNEL void through_the_other_precision(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  double wide = x[i];
  wide = wide * wide + 0.25 * sin(wide);
  y[i] = static_cast<T>(wide);
}

// bank: x in f32 [n] 0.3:2 | y out f32 [n] | n = 40 | @types f32
PLAIN_KERNEL void fast_intrinsics(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float v = x[i];
  y[i] = __sinf(v) * __expf(v) + __logf(v) + __fdividef(v, 1 + v) + __powf(v, 1.5f) + __fmaf_rn(v, v, 1.0f) +
         __frsqrt_rn(v) + __cosf(v);
}

// bank: x in f32 [n] 0.3:2 | y out f32 [n] | n = 40 | @types f32
PLAIN_KERNEL void cached_loads(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = __ldg(x + i) * __ldg(&x[(i + 1) % n]);
}

// bank: x in [n] -2:2 | y out [n] | a real 0.5:2 | b real -1:1 | n = 40
KERNEL void scalar_gradients(const T *x, T *y, DIFF T a, DIFF T b, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = a * sin(x[i]) + b * b * x[i];
}

// bank: x in [n] -2:2 | y out [n] | a real 0.5:2 | b const -1:1 | n = 40
KERNEL void scalar_in_loop(const T *x, T *y, DIFF T a, T b, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T v = x[i];
  for (int k = 0; k < 6; ++k)
    v = v * a * T(0.5) + b;
  y[i] = v;
}

// bank: x in [n] -1:1 | y out [n] | n = 40
KERNEL void vanishing_factors(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T zero = x[i] - x[i];
  y[i] = zero * exp(x[i]) + x[i] * (i % 2) + (x[i] + zero) * (x[i] + zero);
}
