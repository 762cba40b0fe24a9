// kernix/cpu/float_intrinsics.h - bit casts of floating-point numbers and CUDA's fast single precision functions.
//
// The fast functions are the C library's, or better than CUDA promises; only where CUDA documents another domain
// (__powf of a negative base, __saturatef of a NaN) do they follow CUDA instead of the C function.
#ifndef KERNIX_CPU_FLOAT_INTRINSICS_H
#define KERNIX_CPU_FLOAT_INTRINSICS_H

#include "keywords.h"

#include <math.h>

KERNIX_CPU_ONLY_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
KERNIX_CPU_ONLY_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
KERNIX_CPU_ONLY_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
KERNIX_CPU_ONLY_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
KERNIX_CPU_ONLY_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
KERNIX_CPU_ONLY_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
KERNIX_CPU_ONLY_DEVICE int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
KERNIX_CPU_ONLY_DEVICE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
KERNIX_CPU_ONLY_DEVICE double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low)));
}

KERNIX_CPU_ONLY_DEVICE float __sinf(float x) { return __builtin_sinf(x); }
KERNIX_CPU_ONLY_DEVICE float __cosf(float x) { return __builtin_cosf(x); }
KERNIX_CPU_ONLY_DEVICE void __sincosf(float x, float *sine, float *cosine) {
  *sine = __builtin_sinf(x);
  *cosine = __builtin_cosf(x);
}
KERNIX_CPU_ONLY_DEVICE float __tanf(float x) { return __builtin_tanf(x); }
KERNIX_CPU_ONLY_DEVICE float __tanhf(float x) { return __builtin_tanhf(x); }
KERNIX_CPU_ONLY_DEVICE float __expf(float x) { return __builtin_expf(x); }
KERNIX_CPU_ONLY_DEVICE float __exp10f(float x) { return ::exp10f(x); }
KERNIX_CPU_ONLY_DEVICE float __logf(float x) { return __builtin_logf(x); }
KERNIX_CPU_ONLY_DEVICE float __log2f(float x) { return __builtin_log2f(x); }
KERNIX_CPU_ONLY_DEVICE float __log10f(float x) { return __builtin_log10f(x); }
// Through the logarithm, as CUDA has it: a negative base gives a NaN for every exponent.
KERNIX_CPU_ONLY_DEVICE float __powf(float x, float y) { return __builtin_exp2f(y * __builtin_log2f(x)); }
KERNIX_CPU_ONLY_DEVICE float __fdividef(float x, float y) { return x / y; }
KERNIX_CPU_ONLY_DEVICE double __fdivide(double x, double y) { return x / y; }
// To [0, 1]; a NaN becomes 0.
KERNIX_CPU_ONLY_DEVICE float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }

#endif
