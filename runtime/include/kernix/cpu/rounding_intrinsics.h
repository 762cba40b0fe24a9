// kernix/cpu/rounding_intrinsics.h - arithmetic and conversions with the rounding in the name: _rn to nearest even, _rz
// towards zero, _ru upwards, _rd downwards.
//
// _rn is the plain operation, kept out of fused multiply-adds. The others run under another rounding mode of the
// processor; the empty asm statements tie the operation to the place between the two changes of mode. Loops over them
// do not vectorise.
#ifndef KERNIX_CPU_ROUNDING_INTRINSICS_H
#define KERNIX_CPU_ROUNDING_INTRINSICS_H

#include "keywords.h"

#include <float.h>
#include <limits.h>
#include <math.h>

namespace kernix_cpu_rounding {

// The values of the rounding control in MXCSR.
enum Direction : unsigned { nearest = 0x0000, down = 0x2000, up = 0x4000, zero = 0x6000 };

template <class T> KERNIX_CPU_ONLY_DEVICE T pin(T value) {
  asm volatile("" : "+x"(value) : : "memory");
  return value;
}

template <Direction direction, class T, class Operation, class... Operands>
KERNIX_CPU_ONLY_DEVICE T rounded(Operation operation, Operands... operands) {
  unsigned saved = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr((saved & ~0x6000u) | direction);
  T result = pin(static_cast<T>(operation(pin(operands)...)));
  __builtin_ia32_ldmxcsr(saved);
  return result;
}

// Clamps to the range of Integer; `not_a_number` is what CUDA gives for a NaN. The bounds are powers of two or one
// less, which rounds to the power of two: hence >=.
template <class Integer, class Float>
KERNIX_CPU_ONLY_DEVICE Integer saturate(Float value, Integer lowest, Integer highest, Integer not_a_number) {
  if (value != value)
    return not_a_number;
  if (value <= static_cast<Float>(lowest))
    return lowest;
  if (value >= static_cast<Float>(highest))
    return highest;
  return static_cast<Integer>(value);
}

KERNIX_CPU_ONLY_DEVICE float neighbour(float x, float towards) { return __builtin_nextafterf(x, towards); }
KERNIX_CPU_ONLY_DEVICE double neighbour(double x, double towards) { return __builtin_nextafter(x, towards); }

// The neighbour of `value`, the nearest Float to the exact number, that the direction asks for.
template <Direction direction, class Float, class Exact> KERNIX_CPU_ONLY_DEVICE Float directed(Exact exact) {
  Float value = static_cast<Float>(exact);
  long double difference = static_cast<long double>(value) - static_cast<long double>(exact);
  bool too_big = difference > 0.0L, too_small = difference < 0.0L;
  if (direction == zero) {
    too_big = too_big && exact > Exact{0};
    too_small = too_small && exact < Exact{0};
  }
  if (too_big && direction != up)
    return neighbour(value, -static_cast<Float>(__builtin_inf()));
  if (too_small && direction != down)
    return neighbour(value, static_cast<Float>(__builtin_inf()));
  return value;
}

} // namespace kernix_cpu_rounding

// ---- Arithmetic ----

// `suffix` of the direction, the operation's parameters and operands.
#define KERNIX_CPU_DIRECTED(type, name, suffix, direction, parameters, operands, body)                                 \
  KERNIX_CPU_ONLY_DEVICE type name##_##suffix parameters {                                                             \
    return kernix_cpu_rounding::rounded<kernix_cpu_rounding::direction, type>([] parameters -> type { return body; },  \
                                                                              KERNIX_CPU_UNPACK operands);             \
  }
#define KERNIX_CPU_UNPACK(...) __VA_ARGS__
#define KERNIX_CPU_ARITHMETIC(type, name, parameters, operands, body)                                                  \
  KERNIX_CPU_ONLY_DEVICE type name##_rn parameters { _Pragma("clang fp contract(off)") return body; }                  \
  KERNIX_CPU_DIRECTED(type, name, rz, zero, parameters, operands, body)                                                \
  KERNIX_CPU_DIRECTED(type, name, ru, up, parameters, operands, body)                                                  \
  KERNIX_CPU_DIRECTED(type, name, rd, down, parameters, operands, body)

KERNIX_CPU_ARITHMETIC(float, __fadd, (float x, float y), (x, y), x + y)
KERNIX_CPU_ARITHMETIC(float, __fsub, (float x, float y), (x, y), x - y)
KERNIX_CPU_ARITHMETIC(float, __fmul, (float x, float y), (x, y), x *y)
KERNIX_CPU_ARITHMETIC(float, __fdiv, (float x, float y), (x, y), x / y)
KERNIX_CPU_ARITHMETIC(float, __fsqrt, (float x), (x), __builtin_sqrtf(x))
KERNIX_CPU_ARITHMETIC(float, __frcp, (float x), (x), 1.0f / x)
KERNIX_CPU_ARITHMETIC(float, __fmaf, (float x, float y, float z), (x, y, z), __builtin_fmaf(x, y, z))
KERNIX_CPU_ARITHMETIC(double, __dadd, (double x, double y), (x, y), x + y)
KERNIX_CPU_ARITHMETIC(double, __dsub, (double x, double y), (x, y), x - y)
KERNIX_CPU_ARITHMETIC(double, __dmul, (double x, double y), (x, y), x *y)
KERNIX_CPU_ARITHMETIC(double, __ddiv, (double x, double y), (x, y), x / y)
KERNIX_CPU_ARITHMETIC(double, __dsqrt, (double x), (x), __builtin_sqrt(x))
KERNIX_CPU_ARITHMETIC(double, __drcp, (double x), (x), 1.0 / x)
KERNIX_CPU_ARITHMETIC(double, __fma, (double x, double y, double z), (x, y, z), __builtin_fma(x, y, z))
#undef KERNIX_CPU_ARITHMETIC
#undef KERNIX_CPU_UNPACK
#undef KERNIX_CPU_DIRECTED

KERNIX_CPU_ONLY_DEVICE float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
}

// ---- Floating point to integer. Out of range: the nearest integer there is. ----

#define KERNIX_CPU_TO_INTEGER(from, from_name, suffix, round, to, to_name, lowest, highest, not_a_number)              \
  KERNIX_CPU_ONLY_DEVICE to __##from_name##2##to_name##_##suffix(from x) {                                             \
    return kernix_cpu_rounding::saturate<to>(round(x), lowest, highest, not_a_number);                                 \
  }
#define KERNIX_CPU_TO_INTEGERS(from, from_name, letter, to, to_name, lowest, highest, not_a_number)                    \
  KERNIX_CPU_TO_INTEGER(from, from_name, rn, __builtin_rint##letter, to, to_name, lowest, highest, not_a_number)       \
  KERNIX_CPU_TO_INTEGER(from, from_name, rz, __builtin_trunc##letter, to, to_name, lowest, highest, not_a_number)      \
  KERNIX_CPU_TO_INTEGER(from, from_name, ru, __builtin_ceil##letter, to, to_name, lowest, highest, not_a_number)       \
  KERNIX_CPU_TO_INTEGER(from, from_name, rd, __builtin_floor##letter, to, to_name, lowest, highest, not_a_number)

// A NaN becomes 0 where both sides have 32 bits, else the integer with the top bit alone.
KERNIX_CPU_TO_INTEGERS(float, float, f, int, int, INT_MIN, INT_MAX, 0)
KERNIX_CPU_TO_INTEGERS(float, float, f, unsigned int, uint, 0u, UINT_MAX, 0u)
KERNIX_CPU_TO_INTEGERS(float, float, f, long long, ll, LLONG_MIN, LLONG_MAX, LLONG_MIN)
KERNIX_CPU_TO_INTEGERS(float, float, f, unsigned long long, ull, 0ull, ULLONG_MAX, 1ull << 63)
KERNIX_CPU_TO_INTEGERS(double, double, , int, int, INT_MIN, INT_MAX, INT_MIN)
KERNIX_CPU_TO_INTEGERS(double, double, , unsigned int, uint, 0u, UINT_MAX, 1u << 31)
KERNIX_CPU_TO_INTEGERS(double, double, , long long, ll, LLONG_MIN, LLONG_MAX, LLONG_MIN)
KERNIX_CPU_TO_INTEGERS(double, double, , unsigned long long, ull, 0ull, ULLONG_MAX, 1ull << 63)
#undef KERNIX_CPU_TO_INTEGERS
#undef KERNIX_CPU_TO_INTEGER

// ---- To floating point ----

#define KERNIX_CPU_TO_FLOAT(from, from_name, to)                                                                       \
  KERNIX_CPU_ONLY_DEVICE to __##from_name##2##to##_rn(from x) { return static_cast<to>(x); }                           \
  KERNIX_CPU_ONLY_DEVICE to __##from_name##2##to##_rz(from x) {                                                        \
    return kernix_cpu_rounding::directed<kernix_cpu_rounding::zero, to>(x);                                            \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE to __##from_name##2##to##_ru(from x) {                                                        \
    return kernix_cpu_rounding::directed<kernix_cpu_rounding::up, to>(x);                                              \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE to __##from_name##2##to##_rd(from x) {                                                        \
    return kernix_cpu_rounding::directed<kernix_cpu_rounding::down, to>(x);                                            \
  }

KERNIX_CPU_TO_FLOAT(int, int, float)
KERNIX_CPU_TO_FLOAT(unsigned int, uint, float)
KERNIX_CPU_TO_FLOAT(long long, ll, float)
KERNIX_CPU_TO_FLOAT(unsigned long long, ull, float)
KERNIX_CPU_TO_FLOAT(double, double, float)
KERNIX_CPU_TO_FLOAT(long long, ll, double)
KERNIX_CPU_TO_FLOAT(unsigned long long, ull, double)
#undef KERNIX_CPU_TO_FLOAT
KERNIX_CPU_ONLY_DEVICE double __int2double_rn(int x) { return x; }
KERNIX_CPU_ONLY_DEVICE double __uint2double_rn(unsigned x) { return x; }

#endif
