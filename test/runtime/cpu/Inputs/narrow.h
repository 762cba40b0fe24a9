// narrow.h - a slow reference for half and bfloat16, by search in the sorted list of all their finite numbers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

struct Format {
  int mantissa_bits, lowest_exponent;
  unsigned infinity;
  std::vector<double> values; // of the bits 0 .. infinity - 1, ascending

  Format(int mantissa_bits, int exponent_bits) : mantissa_bits(mantissa_bits) {
    infinity = ((1u << exponent_bits) - 1u) << mantissa_bits;
    lowest_exponent = 2 - (1 << (exponent_bits - 1));
    for (unsigned bits = 0; bits <= infinity; ++bits) {
      int field = static_cast<int>(bits >> mantissa_bits);
      double fraction = std::ldexp(static_cast<double>(bits & ((1u << mantissa_bits) - 1u)), -mantissa_bits);
      values.push_back(field == 0 ? std::ldexp(fraction, lowest_exponent)
                                  : std::ldexp(1.0 + fraction, lowest_exponent + field - 1));
    }
  }

  bool is_nan(unsigned bits) const { return (bits & 0x7fffu) > infinity; }

  // The exact value. values[infinity] is the number that would come next if the exponents went on.
  double value(unsigned bits) const {
    double magnitude = is_nan(bits) ? NAN : (bits & 0x7fffu) == infinity ? INFINITY : values[bits & 0x7fffu];
    return bits & 0x8000u ? -magnitude : magnitude;
  }

  // `direction` 'n' nearest, ties to even, 'z' towards zero, 'u' up, 'd' down. The value may be given as a sum of two
  // numbers, the second far smaller than the distance of any two numbers of the format.
  unsigned round(double exact, char direction = 'n', double rest = 0.0) const {
    if (std::isnan(exact))
      return 0x7fff;
    unsigned sign = std::signbit(exact) ? 0x8000u : 0u;
    double magnitude = std::fabs(exact), magnitude_rest = sign ? -rest : rest;
    if (std::isinf(exact))
      return sign | infinity;
    auto above = std::upper_bound(values.begin(), values.end(), magnitude);
    auto low = static_cast<unsigned>(above - values.begin()) - 1u;
    if (values[low] == magnitude && magnitude_rest < 0.0)
      --low;
    if (low >= infinity)
      low = infinity - 1; // beyond the largest number, in the last interval
    else if (values[low] == magnitude && magnitude_rest == 0.0)
      return sign | low;
    bool beyond = magnitude >= values[infinity];
    double middle = (values[low] + values[low + 1]) / 2;
    bool up = direction == 'z'      ? false
              : direction == 'u'    ? !sign
              : direction == 'd'    ? sign != 0
              : magnitude != middle ? magnitude > middle
              : magnitude_rest != 0 ? magnitude_rest > 0
                                    : low % 2 == 1;
    if (direction == 'n' && beyond)
      up = true;
    return sign | (low + (up ? 1u : 0u));
  }

  bool same(unsigned a, unsigned b) const { return is_nan(a) ? is_nan(b) : a == b; }
};

// Bits worth trying: every special one, then random ones.
inline std::vector<unsigned short> interesting_bits(const Format &format, int count) {
  std::vector<unsigned short> bits;
  unsigned one = 1u << format.mantissa_bits;
  for (unsigned sign : {0u, 0x8000u})
    for (unsigned base : {0u, one, format.infinity - one, format.infinity})
      for (int offset : {-2, -1, 0, 1, 2})
        bits.push_back(static_cast<unsigned short>(sign | ((base + static_cast<unsigned>(offset)) & 0x7fffu)));
  std::mt19937 random(1);
  while (static_cast<int>(bits.size()) < count)
    bits.push_back(static_cast<unsigned short>(random()));
  return bits;
}
