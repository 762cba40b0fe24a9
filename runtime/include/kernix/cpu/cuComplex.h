// kernix/cpu/cuComplex.h - cuFloatComplex and cuDoubleComplex, which are float2 and double2 with functions.
//
// Products are the schoolbook ones, as in CUDA; quotient and absolute value scale against overflow.
#ifndef KERNIX_CPU_CUCOMPLEX_H
#define KERNIX_CPU_CUCOMPLEX_H

#include "language.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define KERNIX_CPU_COMPLEX(type, real, suffix, make, absolute, size)                                                   \
  KERNIX_CPU_BOTH real cuCreal##suffix(type x) { return x.x; }                                                         \
  KERNIX_CPU_BOTH real cuCimag##suffix(type x) { return x.y; }                                                         \
  KERNIX_CPU_BOTH type make(real re, real im) { return {re, im}; }                                                     \
  KERNIX_CPU_BOTH type cuConj##suffix(type x) { return {x.x, -x.y}; }                                                  \
  KERNIX_CPU_BOTH type cuCadd##suffix(type x, type y) { return {x.x + y.x, x.y + y.y}; }                               \
  KERNIX_CPU_BOTH type cuCsub##suffix(type x, type y) { return {x.x - y.x, x.y - y.y}; }                               \
  KERNIX_CPU_BOTH type cuCmul##suffix(type x, type y) { return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x}; }       \
  KERNIX_CPU_BOTH type cuCdiv##suffix(type x, type y) {                                                                \
    real scale = real(1) / (absolute(y.x) + absolute(y.y));                                                            \
    real a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale;                                           \
    real inverse = real(1) / (c * c + d * d);                                                                          \
    return {(a * c + b * d) * inverse, (b * c - a * d) * inverse};                                                     \
  }                                                                                                                    \
  KERNIX_CPU_BOTH real cuCabs##suffix(type x) { return size(__builtin_complex(x.x, x.y)); }                            \
  KERNIX_CPU_BOTH type cuCfma##suffix(type x, type y, type z) {                                                        \
    return {x.x * y.x + z.x - x.y * y.y, x.x * y.y + z.y + x.y * y.x};                                                 \
  }

KERNIX_CPU_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex, __builtin_fabsf, __builtin_cabsf)
KERNIX_CPU_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex, __builtin_fabs, __builtin_cabs)
#undef KERNIX_CPU_COMPLEX

KERNIX_CPU_BOTH cuComplex make_cuComplex(float re, float im) { return {re, im}; }
KERNIX_CPU_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
KERNIX_CPU_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}

#endif
