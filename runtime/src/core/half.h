// runtime/src/core/half.h - doubles to and from the two 16-bit floating-point formats, rounded to nearest even.

#ifndef KERNIX_CORE_HALF_H
#define KERNIX_CORE_HALF_H

#include <cmath>
#include <cstdint>

namespace kernix::core {

/// A binary format of 1 sign bit, `exponent_bits` and `mantissa_bits`, 16 in all.
template <int exponent_bits, int mantissa_bits> uint16_t round_to_16_bits(double value) {
  static_assert(1 + exponent_bits + mantissa_bits == 16);
  constexpr int smallest_exponent = 2 - (1 << (exponent_bits - 1));
  constexpr uint16_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | infinity | (1u << (mantissa_bits - 1));
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  int exponent = std::ilogb(value);
  if (exponent < smallest_exponent)
    exponent = smallest_exponent; // a subnormal of the format: fixed quantum
  // In units of the last place the value is a double without rounding, so rint is the only rounding.
  const double units = std::rint(std::scalbn(std::fabs(value), mantissa_bits - exponent));
  const double biased = std::scalbn(static_cast<double>(exponent - smallest_exponent), mantissa_bits) + units;
  // The hidden bit, and a carry out of the mantissa, add to the exponent field by themselves.
  return biased >= infinity ? sign | infinity : sign | static_cast<uint16_t>(biased);
}

inline uint16_t to_float16(double value) { return round_to_16_bits<5, 10>(value); }
inline uint16_t to_bfloat16(double value) { return round_to_16_bits<8, 7>(value); }

/// The number that the bits stand for.
template <int exponent_bits, int mantissa_bits> double from_16_bits(uint16_t bits) {
  constexpr int smallest_exponent = 2 - (1 << (exponent_bits - 1));
  constexpr int highest_field = (1 << exponent_bits) - 1;
  const int field = (bits >> mantissa_bits) & highest_field;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  double magnitude;
  if (field == highest_field)
    magnitude = mantissa ? std::nan("") : HUGE_VAL;
  else if (field == 0)
    magnitude = std::scalbn(mantissa, smallest_exponent - mantissa_bits);
  else
    magnitude = std::scalbn(mantissa + (1 << mantissa_bits), smallest_exponent + field - 1 - mantissa_bits);
  return std::copysign(magnitude, bits & 0x8000 ? -1.0 : 1.0);
}

inline double from_float16(uint16_t bits) { return from_16_bits<5, 10>(bits); }
inline double from_bfloat16(uint16_t bits) { return from_16_bits<8, 7>(bits); }

} // namespace kernix::core

#endif // KERNIX_CORE_HALF_H
