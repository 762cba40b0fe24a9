// Functions of every family that raising knows, for test_derivative_raise.py: each is compiled as it is and raised,
// inlined and lowered again, and both must compute the same.
#include <cmath>
// clang-format off: a list
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define SINGLE(name, expression)                                                                                       \
  extern "C" __device__ float f32_##name(float x, float y, float z) { return expression; }
#define DOUBLE(name, expression)                                                                                       \
  extern "C" __device__ double f64_##name(double x, double y, double z) { return expression; }
#define BOTH(name, single, expression) SINGLE(name, single) DOUBLE(name, expression)
#define NARROW(name, expression)                                                                                       \
  extern "C" __device__ void f16_##name(__half *r, const __half *a) {                                                  \
    using T = __half;                                                                                                  \
    T x = a[0], y = a[1], z = a[2];                                                                                    \
    *r = expression;                                                                                                   \
  }                                                                                                                    \
  extern "C" __device__ void bf16_##name(__nv_bfloat16 *r, const __nv_bfloat16 *a) {                                   \
    using T = __nv_bfloat16;                                                                                           \
    T x = a[0], y = a[1], z = a[2];                                                                                    \
    *r = expression;                                                                                                   \
  }
#define PAIR(name, expression)                                                                                         \
  extern "C" __device__ void f16_##name(__half *r, const __half *a) {                                                  \
    using T2 = __half2;                                                                                                \
    T2 x = __halves2half2(a[0], a[1]), y = __halves2half2(a[1], a[2]);                                                 \
    T2 v = expression;                                                                                                 \
    *r = __hadd(__low2half(v), __high2half(v));                                                                        \
  }

#define UNARY(name) BOTH(name, name##f(x), name(x))
UNARY(acos)
UNARY(acosh) UNARY(asin) UNARY(asinh) UNARY(atan) UNARY(atanh) UNARY(cbrt) UNARY(ceil) UNARY(cos) UNARY(cosh) UNARY(
    cospi) UNARY(cyl_bessel_i0) UNARY(cyl_bessel_i1) UNARY(erf) UNARY(erfc) UNARY(erfcinv) UNARY(erfcx) UNARY(erfinv)
    UNARY(exp) UNARY(exp10) UNARY(exp2) UNARY(expm1) UNARY(fabs) UNARY(floor) UNARY(j0) UNARY(j1) UNARY(lgamma) UNARY(
        log) UNARY(log10) UNARY(log1p) UNARY(log2) UNARY(logb) UNARY(nearbyint) UNARY(normcdf) UNARY(normcdfinv)
        UNARY(rcbrt) UNARY(rint) UNARY(round) UNARY(rsqrt) UNARY(sin) UNARY(sinh) UNARY(sinpi) UNARY(sqrt) UNARY(
            tan) UNARY(tanh) UNARY(tgamma) UNARY(trunc) UNARY(y0) UNARY(y1)

#define BINARY(name) BOTH(name, name##f(x, y), name(x, y))
            BINARY(atan2) BINARY(copysign) BINARY(fdim)
                BINARY(fmax) BINARY(fmin) BINARY(fmod) BINARY(hypot) BINARY(nextafter) BINARY(pow) BINARY(
                    remainder) BINARY(rhypot)

                    BOTH(fma, fmaf(x, y, z), fma(x, y, z)) BOTH(lerp, std::lerp(x, y, z), std::lerp(x, y, z))
                    BOTH(lerp_end, std::lerp(x, y, 1.0f), std::lerp(y, x, 1.0)) BOTH(norm3d, norm3df(x, y, z), norm3d(x, y, z)) BOTH(
                        norm4d,
                        norm4df(x, y, z, 1.0f),
                        norm4d(
                            x,
                            y,
                            z,
                            1.0)) BOTH(rnorm3d, rnorm3df(x, y, z),
                                       rnorm3d(x, y, z)) BOTH(rnorm4d, rnorm4df(x, y, z, 1.0f), rnorm4d(x, y, z, 1.0))
                        BOTH(jn, jnf(3, x), jn(3, x)) BOTH(yn, ynf(3, x), yn(3, x)) BOTH(
                            powi, std::pow(x, 3),
                            std::pow(
                                x,
                                -3)) BOTH(ldexp, ldexpf(x, 5),
                                          ldexp(x, -5)) BOTH(scalbn, scalbnf(x, -7), scalbn(x, 7))
                            BOTH(scalbln, scalblnf(x, 200000000000l), scalbln(x, -200000000000l)) BOTH(
                                ilogb, ilogbf(x), ilogb(x)) BOTH(llrint, llrintf(x), llrint(x))
                                BOTH(llround, llroundf(x), llround(x)) BOTH(lrint, lrintf(x), lrint(x)) BOTH(
                                    isnan,
                                    std::isnan(x) ? 1
                                                  : 2,
                                    std::isnan(x) ? 1
                                                  : 2) BOTH(isinf, std::isinf(x) ? 1 : 2, std::isinf(x) ? 1 : 2)
                                    BOTH(isfinite, std::isfinite(x) ? 1 : 2, std::isfinite(x) ? 1 : 2) BOTH(
                                        signbit,
                                        std::signbit(x)
                                            ? 1
                                            : 2,
                                        std::signbit(x)
                                            ? 1
                                            : 2) BOTH(min, min(x, y),
                                                      min(x, y)) BOTH(max, max(x, y), max(x, y))

                                        SINGLE(sincos, ({
                                                 float s, c;
                                                 sincosf(x, &s, &c);
                                                 s + 2 * c;
                                               })) DOUBLE(sincos, ({
                                                            double s, c;
                                                            sincos(x, &s, &c);
                                                            s + 2 * c;
                                                          }))
                                            SINGLE(sincospi, ({
                                                     float s, c;
                                                     sincospif(x, &s, &c);
                                                     s + 2 * c;
                                                   })) DOUBLE(sincospi, ({
                                                                double s, c;
                                                                sincospi(x, &s, &c);
                                                                s + 2 * c;
                                                              }))
                                                SINGLE(modf, ({
                                                         float w;
                                                         float f = modff(x, &w);
                                                         1 / f + w;
                                                       })) DOUBLE(modf, ({
                                                                    double w;
                                                                    double f = modf(x, &w);
                                                                    1 / f + w;
                                                                  })) SINGLE(frexp, ({
                                                                               int e;
                                                                               float m = frexpf(x, &e);
                                                                               std::isfinite(x) && x != 0 ? m * 100 + e
                                                                                                          : m;
                                                                             }))
                                                    DOUBLE(frexp, ({
                                                             int e;
                                                             double m = frexp(x, &e);
                                                             std::isfinite(x) && x != 0 ? m * 100 + e : m;
                                                           })) SINGLE(remquo, ({
                                                                        int q;
                                                                        float r = remquof(x, y, &q);
                                                                        std::isnan(r) ? r : r * 100 + (q & 7);
                                                                      })) DOUBLE(remquo, ({
                                                                                   int q;
                                                                                   double r = remquo(x, y, &q);
                                                                                   std::isnan(r) ? r
                                                                                                 : r * 100 + (q & 7);
                                                                                 }))

#define ROUNDED(name, single, twice) SINGLE(name, single) DOUBLE(name, twice)
#define DIRECTED(r)                                                                                                    \
  ROUNDED(add_##r, __fadd_##r(x, y), __dadd_##r(x, y))                                                                 \
  ROUNDED(mul_##r, __fmul_##r(x, y), __dmul_##r(x, y))                                                                 \
  ROUNDED(div_##r, __fdiv_##r(x, y), __ddiv_##r(x, y))                                                                 \
  ROUNDED(fma_##r, __fmaf_##r(x, y, z), __fma_##r(x, y, z))                                                            \
  ROUNDED(rcp_##r, __frcp_##r(x), __drcp_##r(x))                                                                       \
  ROUNDED(sqrt_##r, __fsqrt_##r(x), __dsqrt_##r(x))                                                                    \
  DOUBLE(to_float_##r, __double2float_##r(x))
                                                        DIRECTED(rn) DIRECTED(rz) DIRECTED(ru) DIRECTED(rd)
                                                            SINGLE(rsqrt_rn,
                                                                   __frsqrt_rn(x)) SINGLE(saturate, __saturatef(x))

#define FAST(name) SINGLE(fast_##name, __##name##f(x))
                                                                FAST(sin) FAST(
                                                                    cos) FAST(tan)
                                                                    FAST(exp) FAST(exp10) FAST(
                                                                        log) FAST(log2) FAST(log10)
                                                                        SINGLE(fast_pow, __powf(x, y)) SINGLE(
                                                                            fast_divide, __fdividef(x, y))

                                                                            SINGLE(bits, __int_as_float(
                                                                                             __float_as_int(x) ^ 1))
                                                                                DOUBLE(bits,
                                                                                       __longlong_as_double(
                                                                                           __double_as_longlong(x) ^ 1))
                                                                                    SINGLE(to_integers,
                                                                                           __float2int_rn(x) +
                                                                                               __float2int_rz(y) +
                                                                                               __float2uint_ru(x))
                                                                                        SINGLE(
                                                                                            from_integers,
                                                                                            __int2float_rn(int(x)) +
                                                                                                __ll2float_rn(
                                                                                                    (long long)
                                                                                                        y)) extern "C" __device__
    float f32_loads(float x, float y, float z) {
  return __ldg(&x) + __ldcg(&y) + __ldcs(&z);
}

NARROW(add, x + y)
NARROW(subtract, x - y)
NARROW(multiply, x *y)
NARROW(divide, x / y)
NARROW(negate, -x)
NARROW(fma, __hfma(x, y, z))
NARROW(fma_relu, __hfma_relu(x, y, z))
NARROW(fma_sat, __hfma_sat(x, y, z))
NARROW(add_sat, __hadd_sat(x, y))
NARROW(abs, __habs(x))
NARROW(max, __hmax(x, y))
NARROW(min, __hmin(x, y))
NARROW(max_nan, __hmax_nan(x, y))
NARROW(compare, __hlt(x, y) ? x : __hgeu(y, z) ? y : z)
NARROW(compare_ne, x != y ? x : z)
NARROW(isnan, __hisnan(x) ? y : z)
NARROW(ceil, hceil(x))
NARROW(floor, hfloor(x))
NARROW(rint, hrint(x))
NARROW(trunc, htrunc(x))
NARROW(cos, hcos(x))
NARROW(sin, hsin(x))
NARROW(exp, hexp(x))
NARROW(exp2, hexp2(x))
NARROW(exp10, hexp10(x))
NARROW(log, hlog(x))
NARROW(log2, hlog2(x))
NARROW(log10, hlog10(x))
NARROW(rcp, hrcp(x))
NARROW(sqrt, hsqrt(x))
NARROW(rsqrt, hrsqrt(x))
NARROW(tanh, htanh(x))
NARROW(float, T(float(x) * 3.7f))
NARROW(double, T(double(float(x)) * 3.7))
NARROW(compound, ({
         T v = x;
         v += y;
         v *= z;
         v;
       }))
NARROW(select, x > y ? x : y)
PAIR(pair_multiply, x *y)
PAIR(pair_fma, __hfma2(x, y, x))
PAIR(pair_exp, h2exp(x))
PAIR(pair_max, __hmax2(x, y))
PAIR(pair_greater, __hgt2(x, y))
PAIR(pair_both, __hbgt2(x, y) ? x : y)
PAIR(pair_floats, __floats2half2_rn(__low2float(x), __high2float(y)))
PAIR(pair_swap, __lowhigh2highlow(x))
PAIR(pair_lows, __lows2half2(x, y))
PAIR(pair_convert, __float22half2_rn(__half22float2(x)))
extern "C" __device__ void f16_integers(__half *r, const __half *a) {
  *r = __int2half_rn(__half2int_rn(a[0]) + __half2short_rz(a[1])) + __ushort2half_rn(__half2ushort_rd(a[2]));
}
