// kernix/cpu/narrow_float.h - conversions between 16-bit floating-point formats and wider numbers, in integer
// arithmetic: every rounding direction, denormals, infinities, NaNs. What half, bfloat16 and float8 stand on.
#ifndef KERNIX_CPU_NARROW_FLOAT_H
#define KERNIX_CPU_NARROW_FLOAT_H

#include "keywords.h"

namespace kernix_cpu_narrow {

enum class Direction { nearest, zero, up, down };

// Bits of the mantissa without the leading one, exponent of the smallest normal number.
struct Half {
  static constexpr int mantissa = 10, lowest_exponent = -14;
  static constexpr unsigned infinity = 0x7c00u, not_a_number = 0x7fffu;
};
struct Bfloat16 {
  static constexpr int mantissa = 7, lowest_exponent = -126;
  static constexpr unsigned infinity = 0x7f80u, not_a_number = 0x7fffu;
};

// How a class of this header's users is made from wider numbers; specialised in narrow_float_operations.inc.
template <class T> struct Rounding;

// `value` to the 16 bits of Format, rounded once.
template <class Format>
KERNIX_CPU_BOTH constexpr unsigned short from_double(double value, Direction direction = Direction::nearest) {
  constexpr int p = Format::mantissa;
  auto bits = __builtin_bit_cast(unsigned long long, value);
  bool negative = (bits >> 63) != 0;
  unsigned sign = negative ? 0x8000u : 0u;
  int field = static_cast<int>(bits >> 52 & 0x7ffu);
  unsigned long long mantissa = bits & 0xfffffffffffffull;
  if (field == 0x7ff)
    return static_cast<unsigned short>(mantissa != 0 ? Format::not_a_number : sign | Format::infinity);
  int exponent = field == 0 ? -1022 : field - 1023;
  if (field != 0)
    mantissa |= 1ull << 52;
  int lifted = exponent < Format::lowest_exponent ? Format::lowest_exponent : exponent;
  // From here on in units of the last place of the result.
  int shift = lifted - p - (exponent - 52);
  if (shift > 60)
    shift = 60;
  unsigned long long rest = mantissa & ((1ull << shift) - 1u), middle = 1ull << (shift - 1);
  auto digits = static_cast<unsigned>(mantissa >> shift);
  bool away = direction == Direction::nearest ? rest > middle || (rest == middle && (digits & 1u) != 0)
              : direction == Direction::up    ? !negative && rest != 0
              : direction == Direction::down  ? negative && rest != 0
                                              : false;
  digits += away ? 1u : 0u;
  if (lifted > Format::lowest_exponent)
    // A carry out of the mantissa counts the exponent up by itself. Far out of range is infinity, not a wrapped shift.
    digits = lifted > 200 ? Format::infinity : digits + (static_cast<unsigned>(lifted - Format::lowest_exponent) << p);
  if (digits >= Format::infinity) {
    bool stays = direction == Direction::zero || (direction == Direction::up && negative) ||
                 (direction == Direction::down && !negative);
    digits = stays ? Format::infinity - 1u : Format::infinity;
  }
  return static_cast<unsigned short>(sign | digits);
}

// A double that rounds to 16 bits as the integer does: digits beyond the 53rd become one sticky digit.
KERNIX_CPU_BOTH constexpr double sticky(unsigned long long magnitude) {
  if (magnitude >> 53 != 0)
    magnitude = (magnitude >> 11 | ((magnitude & 0x7ffu) != 0 ? 1u : 0u)) << 11;
  return static_cast<double>(magnitude);
}
KERNIX_CPU_BOTH constexpr double sticky(long long value) {
  auto magnitude = static_cast<unsigned long long>(value);
  return value < 0 ? -sticky(0ull - magnitude) : sticky(magnitude);
}

// Sets the last bit of a rounded value if it is not exact, so that rounding it once more is like rounding the exact
// one. `too_far`: its magnitude is above the exact one's.
template <class Word, class Float> KERNIX_CPU_BOTH Float round_to_odd(Float rounded, bool inexact, bool too_far) {
  Word bits = __builtin_bit_cast(Word, rounded);
  Word odd = too_far ? bits - 1 : bits + 1;
  return __builtin_bit_cast(Float, inexact && (bits & 1) == 0 ? odd : bits);
}

KERNIX_CPU_BOTH float round_to_odd(double value) {
  auto rounded = static_cast<float>(value);
  auto back = static_cast<double>(rounded);
  return round_to_odd<unsigned>(rounded, back != value && value == value, __builtin_fabs(back) > __builtin_fabs(value));
}

// a * b + c for numbers of at most 24 bits, ready to be rounded to 16 bits: the product is exact, the error of the sum
// is recovered.
KERNIX_CPU_BOTH float multiply_add(float a, float b, float c) {
#pragma clang fp contract(off) reassociate(off)
  double product = static_cast<double>(a) * static_cast<double>(b);
  double addend = static_cast<double>(c);
  double sum = product + addend;
  double part = sum - product;
  double error = (product - (sum - part)) + (addend - part);
  bool inexact = error < 0.0 || error > 0.0;
  sum = round_to_odd<unsigned long long>(sum, inexact, (error < 0.0) == (sum > 0.0));
  return round_to_odd(sum);
}

// What a conversion to Integer gives: towards the nearest integer there is, `not_a_number` for a NaN.
template <class Integer>
KERNIX_CPU_BOTH Integer to_integer(float value, Integer lowest, Integer highest, Integer not_a_number) {
  if (value != value)
    return not_a_number;
  if (value <= static_cast<float>(lowest))
    return lowest;
  if (value >= static_cast<float>(highest))
    return highest;
  return static_cast<Integer>(value);
}

// +0 is above -0, and a number above a NaN.
KERNIX_CPU_BOTH float maximum(float a, float b) { return a > b || b != b || (a == b && !__builtin_signbit(a)) ? a : b; }
KERNIX_CPU_BOTH float minimum(float a, float b) { return a < b || b != b || (a == b && __builtin_signbit(a)) ? a : b; }
KERNIX_CPU_BOTH float maximum_nan(float a, float b) { return a != a ? a : b != b ? b : maximum(a, b); }
KERNIX_CPU_BOTH float minimum_nan(float a, float b) { return a != a ? a : b != b ? b : minimum(a, b); }
KERNIX_CPU_BOTH float saturate(float a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }
KERNIX_CPU_BOTH float relu(float a) { return a > 0.0f || a != a ? a : 0.0f; }

} // namespace kernix_cpu_narrow

#endif
