// runtime/src/core/half.h - rounding of doubles to the two 16-bit floating-point formats, to nearest even.

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

} // namespace kernix::core

#endif // KERNIX_CORE_HALF_H
