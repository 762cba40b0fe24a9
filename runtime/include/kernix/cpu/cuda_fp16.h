// kernix/cpu/cuda_fp16.h - half and half2.
//
// Storage is _Float16. Every operation is computed in single precision and rounded once to half, which gives the
// correctly rounded result for + - * / and sqrt; fma goes through double precision. The operations that half and
// bfloat16 share are in narrow_float_operations.inc.
#ifndef KERNIX_CPU_CUDA_FP16_H
#define KERNIX_CPU_CUDA_FP16_H

#include "../hide_macros.h"

#include "narrow_float.h"

#include "language.h"

struct __half_raw {
  unsigned short x;
};
struct alignas(4) __half2_raw {
  unsigned short x, y;
};

struct __half;
KERNIX_CPU_BOTH __half __float2half(float x);
KERNIX_CPU_BOTH __half __double2half(double x);
KERNIX_CPU_BOTH float __half2float(__half x);

struct __half {
  _Float16 kernix_value;

  __half() = default;
  __host__ __device__ constexpr __half(const __half_raw &raw) : kernix_value(__builtin_bit_cast(_Float16, raw.x)) {}
  __host__ __device__ constexpr __half &operator=(const __half_raw &raw) {
    kernix_value = __builtin_bit_cast(_Float16, raw.x);
    return *this;
  }
  __host__ __device__ constexpr operator __half_raw() const {
    return {__builtin_bit_cast(unsigned short, kernix_value)};
  }
#define KERNIX_CPU_NARROW_CLASS __half
#define KERNIX_CPU_NARROW_FORMAT kernix_cpu_narrow::Half
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define KERNIX_CPU_NARROW_NO_CONVERSIONS
#else
#include "narrow_float_conversions.inc"
#endif
};

#define KERNIX_CPU_NARROW_CLASS2 __half2
#define KERNIX_CPU_NARROW_RAW2 __half2_raw
#include "narrow_float_pair.inc"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

KERNIX_CPU_BOTH __half __ushort_as_half(unsigned short x) { return __half(__half_raw{x}); }
KERNIX_CPU_BOTH __half __short_as_half(short x) { return __ushort_as_half(static_cast<unsigned short>(x)); }
KERNIX_CPU_BOTH unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x); }
KERNIX_CPU_BOTH short __half_as_short(__half x) { return __builtin_bit_cast(short, x); }

namespace kernix_cpu_narrow {
KERNIX_CPU_BOTH unsigned short bits(__half x) { return __half_as_ushort(x); }
KERNIX_CPU_BOTH float to_float(__half x) { return static_cast<float>(x.kernix_value); }
// The one NaN that CUDA's conversions give, whatever the operand's payload. No contraction: of two conversions in a
// row, LLVM would make one.
KERNIX_CPU_BOTH void round_into(__half &result, float x) {
#pragma clang fp contract(off)
  result = x == x ? __builtin_bit_cast(__half, static_cast<_Float16>(x)) : __ushort_as_half(0x7fffu);
}
KERNIX_CPU_BOTH void quotient_into(__half &result, float x, float y) { round_into(result, x / y); }
} // namespace kernix_cpu_narrow

KERNIX_CPU_BOTH float __half2float(__half x) { return kernix_cpu_narrow::to_float(x); }
KERNIX_CPU_BOTH __half __float2half(float x) {
  __half result;
  kernix_cpu_narrow::round_into(result, x);
  return result;
}

#define KERNIX_CPU_NARROW_NAME(prefix, suffix) prefix##half##suffix
#define KERNIX_CPU_NARROW_OPERATORS
#define KERNIX_CPU_NARROW_OPERATORS2
#ifdef __CUDA_NO_HALF_OPERATORS__
#undef KERNIX_CPU_NARROW_OPERATORS
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
#undef KERNIX_CPU_NARROW_OPERATORS2
#endif
#include "narrow_float_operations.inc"

KERNIX_CPU_BOTH __half __high2half(__half2 x) { return x.y; }
KERNIX_CPU_BOTH __half __low2half(__half2 x) { return x.x; }
KERNIX_CPU_BOTH __half2 __high2half2(__half2 x) { return {x.y, x.y}; }
KERNIX_CPU_BOTH __half2 __low2half2(__half2 x) { return {x.x, x.x}; }
KERNIX_CPU_BOTH __half2 __lows2half2(__half2 x, __half2 y) { return {x.x, y.x}; }
KERNIX_CPU_BOTH __half2 __highs2half2(__half2 x, __half2 y) { return {x.y, y.y}; }
KERNIX_CPU_BOTH __half2 __halves2half2(__half x, __half y) { return {x, y}; }
KERNIX_CPU_BOTH __half2 __half2half2(__half x) { return {x, x}; }
KERNIX_CPU_BOTH __half2 make_half2(__half x, __half y) { return {x, y}; }
KERNIX_CPU_BOTH float2 __half22float2(__half2 x) { return {__half2float(x.x), __half2float(x.y)}; }
KERNIX_CPU_BOTH __half2 __float22half2_rn(float2 x) { return {__float2half(x.x), __float2half(x.y)}; }
KERNIX_CPU_BOTH __half2 __floats2half2_rn(float x, float y) { return {__float2half(x), __float2half(y)}; }
KERNIX_CPU_BOTH __half2 __float2half2_rn(float x) { return {__float2half(x), __float2half(x)}; }

#undef KERNIX_CPU_NARROW_NO_CONVERSIONS
#undef KERNIX_CPU_NARROW_OPERATORS
#undef KERNIX_CPU_NARROW_OPERATORS2
#undef KERNIX_CPU_NARROW_NAME
#undef KERNIX_CPU_NARROW_RAW2
#undef KERNIX_CPU_NARROW_CLASS2
#undef KERNIX_CPU_NARROW_FORMAT
#undef KERNIX_CPU_NARROW_CLASS

#define CUDART_INF_FP16 __ushort_as_half(0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00u)

#include "../restore_macros.h"

#endif
