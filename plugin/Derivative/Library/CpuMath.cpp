// CpuMath.cpp - for the CPU, what CUDA's math library has beyond C's.
//
// The CPU target's own headers define these functions, so that a derivative computes with the same code as its primal.

// The attributes of the keywords mean nothing in C++.
#pragma clang diagnostic ignored "-Wignored-attributes"
#include "kernix/cpu/math_functions.h"
#include "kernix/cpu/rounding_intrinsics.h"

#define KERNIX_UNARY(name)                                                                                             \
  extern "C" float kernix_library_##name##_f32(float x) { return name##f(x); }                                         \
  extern "C" double kernix_library_##name##_f64(double x) { return name(x); }
KERNIX_UNARY(cospi)
KERNIX_UNARY(cyl_bessel_i0)
KERNIX_UNARY(cyl_bessel_i1)
KERNIX_UNARY(erfcinv)
KERNIX_UNARY(erfcx)
KERNIX_UNARY(erfinv)
KERNIX_UNARY(normcdf)
KERNIX_UNARY(normcdfinv)
KERNIX_UNARY(rcbrt)
KERNIX_UNARY(sinpi)

extern "C" float kernix_library_rhypot_f32(float x, float y) { return rhypotf(x, y); }
extern "C" double kernix_library_rhypot_f64(double x, double y) { return rhypot(x, y); }

#define KERNIX_NORM(name)                                                                                              \
  extern "C" float kernix_library_##name##3d_f32(float x, float y, float z) { return name##3df(x, y, z); }             \
  extern "C" double kernix_library_##name##3d_f64(double x, double y, double z) { return name##3d(x, y, z); }          \
  extern "C" float kernix_library_##name##4d_f32(float x, float y, float z, float w) { return name##4df(x, y, z, w); } \
  extern "C" double kernix_library_##name##4d_f64(double x, double y, double z, double w) {                            \
    return name##4d(x, y, z, w);                                                                                       \
  }
KERNIX_NORM(norm)
KERNIX_NORM(rnorm)

#define KERNIX_ROUNDED(rounding)                                                                                       \
  KERNIX_ROUNDED_BINARY(add, rounding)                                                                                 \
  KERNIX_ROUNDED_BINARY(sub, rounding)                                                                                 \
  KERNIX_ROUNDED_BINARY(mul, rounding)                                                                                 \
  KERNIX_ROUNDED_BINARY(div, rounding)                                                                                 \
  KERNIX_ROUNDED_UNARY(rcp, rounding)                                                                                  \
  KERNIX_ROUNDED_UNARY(sqrt, rounding)                                                                                 \
  extern "C" float kernix_library_fma_##rounding##_f32(float x, float y, float z) {                                    \
    return __fmaf_##rounding(x, y, z);                                                                                 \
  }                                                                                                                    \
  extern "C" double kernix_library_fma_##rounding##_f64(double x, double y, double z) {                                \
    return __fma_##rounding(x, y, z);                                                                                  \
  }                                                                                                                    \
  extern "C" float kernix_library_double2float_##rounding##_f32(double x) { return __double2float_##rounding(x); }
#define KERNIX_ROUNDED_BINARY(name, rounding)                                                                          \
  extern "C" float kernix_library_##name##_##rounding##_f32(float x, float y) { return __f##name##_##rounding(x, y); } \
  extern "C" double kernix_library_##name##_##rounding##_f64(double x, double y) {                                     \
    return __d##name##_##rounding(x, y);                                                                               \
  }
#define KERNIX_ROUNDED_UNARY(name, rounding)                                                                           \
  extern "C" float kernix_library_##name##_##rounding##_f32(float x) { return __f##name##_##rounding(x); }             \
  extern "C" double kernix_library_##name##_##rounding##_f64(double x) { return __d##name##_##rounding(x); }
KERNIX_ROUNDED(rz)
KERNIX_ROUNDED(ru)
KERNIX_ROUNDED(rd)
KERNIX_ROUNDED_UNARY(sqrt, rn)
extern "C" float kernix_library_rsqrt_rn_f32(float x) { return __frsqrt_rn(x); }
