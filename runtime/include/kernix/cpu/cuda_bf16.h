// kernix/cpu/cuda_bf16.h - __nv_bfloat16 and __nv_bfloat162.
//
// Storage is the upper half of a float's bits. Every operation is computed in single precision and rounded once, which
// gives the correctly rounded result for + - * and sqrt; quotients that come out denormal and fma go through double
// precision. The operations that half and bfloat16 share are in narrow_float_operations.inc.
#ifndef KERNIX_CPU_CUDA_BF16_H
#define KERNIX_CPU_CUDA_BF16_H

#include "../hide_macros.h"

#include "narrow_float.h"

#include "language.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct alignas(4) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __nv_bfloat16;
KERNIX_CPU_BOTH __nv_bfloat16 __float2bfloat16(float x);
KERNIX_CPU_BOTH __nv_bfloat16 __double2bfloat16(double x);
KERNIX_CPU_BOTH float __bfloat162float(__nv_bfloat16 x);

struct __nv_bfloat16 {
  unsigned short kernix_value;

  __nv_bfloat16() = default;
  __host__ __device__ constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : kernix_value(raw.x) {}
  __host__ __device__ constexpr __nv_bfloat16 &operator=(const __nv_bfloat16_raw &raw) {
    kernix_value = raw.x;
    return *this;
  }
  __host__ __device__ constexpr operator __nv_bfloat16_raw() const { return {kernix_value}; }
#define KERNIX_CPU_NARROW_CLASS __nv_bfloat16
#define KERNIX_CPU_NARROW_FORMAT kernix_cpu_narrow::Bfloat16
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define KERNIX_CPU_NARROW_NO_CONVERSIONS
#else
#include "narrow_float_conversions.inc"
#endif
};

#define KERNIX_CPU_NARROW_CLASS2 __nv_bfloat162
#define KERNIX_CPU_NARROW_RAW2 __nv_bfloat162_raw
#include "narrow_float_pair.inc"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

KERNIX_CPU_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __nv_bfloat16(__nv_bfloat16_raw{x}); }
KERNIX_CPU_BOTH __nv_bfloat16 __short_as_bfloat16(short x) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(x));
}
KERNIX_CPU_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.kernix_value; }
KERNIX_CPU_BOTH short __bfloat16_as_short(__nv_bfloat16 x) { return static_cast<short>(x.kernix_value); }

namespace kernix_cpu_narrow {
KERNIX_CPU_BOTH unsigned short bits(__nv_bfloat16 x) { return x.kernix_value; }
KERNIX_CPU_BOTH float to_float(__nv_bfloat16 x) {
  return __builtin_bit_cast(float, static_cast<unsigned>(x.kernix_value) << 16);
}
// Adds just below half a unit, or half a unit to an odd number, and cuts.
KERNIX_CPU_BOTH void round_into(__nv_bfloat16 &result, float x) {
  auto word = __builtin_bit_cast(unsigned, x);
  auto rounded = static_cast<unsigned short>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
  result.kernix_value = x == x ? rounded : static_cast<unsigned short>(0x7fff);
}
KERNIX_CPU_BOTH void quotient_into(__nv_bfloat16 &result, float x, float y) {
  round_into(result, round_to_odd(static_cast<double>(x) / static_cast<double>(y)));
}
} // namespace kernix_cpu_narrow

KERNIX_CPU_BOTH float __bfloat162float(__nv_bfloat16 x) { return kernix_cpu_narrow::to_float(x); }
KERNIX_CPU_BOTH __nv_bfloat16 __float2bfloat16(float x) {
  __nv_bfloat16 result;
  kernix_cpu_narrow::round_into(result, x);
  return result;
}

#define KERNIX_CPU_NARROW_NAME(prefix, suffix) prefix##bfloat16##suffix
#define KERNIX_CPU_NARROW_OPERATORS
#define KERNIX_CPU_NARROW_OPERATORS2
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#undef KERNIX_CPU_NARROW_OPERATORS
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#undef KERNIX_CPU_NARROW_OPERATORS2
#endif
#include "narrow_float_operations.inc"

KERNIX_CPU_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 x) { return x.y; }
KERNIX_CPU_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 x) { return x.x; }
KERNIX_CPU_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 x) { return {x.y, x.y}; }
KERNIX_CPU_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 x) { return {x.x, x.x}; }
KERNIX_CPU_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 x, __nv_bfloat162 y) { return {x.x, y.x}; }
KERNIX_CPU_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 x, __nv_bfloat162 y) { return {x.y, y.y}; }
KERNIX_CPU_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
KERNIX_CPU_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
KERNIX_CPU_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
KERNIX_CPU_BOTH float2 __bfloat1622float2(__nv_bfloat162 x) { return {__bfloat162float(x.x), __bfloat162float(x.y)}; }
KERNIX_CPU_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 x) {
  return {__float2bfloat16(x.x), __float2bfloat16(x.y)};
}
KERNIX_CPU_BOTH __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__float2bfloat16(x), __float2bfloat16(y)};
}
KERNIX_CPU_BOTH __nv_bfloat162 __float2bfloat162_rn(float x) { return {__float2bfloat16(x), __float2bfloat16(x)}; }

#undef KERNIX_CPU_NARROW_NO_CONVERSIONS
#undef KERNIX_CPU_NARROW_OPERATORS
#undef KERNIX_CPU_NARROW_OPERATORS2
#undef KERNIX_CPU_NARROW_NAME
#undef KERNIX_CPU_NARROW_RAW2
#undef KERNIX_CPU_NARROW_CLASS2
#undef KERNIX_CPU_NARROW_FORMAT
#undef KERNIX_CPU_NARROW_CLASS

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80u)

#include "../restore_macros.h"

#endif
