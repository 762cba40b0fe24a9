// test/runtime/core/half_test.cpp - rounding to float16 and bfloat16 against the compiler's own types, and at edges.

#include "core/half.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace kernix::test {

namespace {

TEST(Half, EveryFloat16ComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto exact = static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
    if (!std::isnan(exact))
      ASSERT_EQ(core::to_float16(exact), bits);
  }
}

TEST(Half, EveryBfloat16ComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto exact = static_cast<double>(std::bit_cast<float>(bits << 16));
    if (!std::isnan(exact))
      ASSERT_EQ(core::to_bfloat16(exact), bits);
  }
}

TEST(Half, Decodes) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto small = static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
    const auto brain = static_cast<double>(std::bit_cast<float>(bits << 16));
    const double decoded = core::from_float16(static_cast<uint16_t>(bits));
    const double decoded_brain = core::from_bfloat16(static_cast<uint16_t>(bits));
    ASSERT_TRUE(decoded == small || (std::isnan(decoded) && std::isnan(small))) << bits;
    ASSERT_TRUE(decoded_brain == brain || (std::isnan(decoded_brain) && std::isnan(brain))) << bits;
  }
}

/// The nearest of the two neighbours, ties to even, found in doubles, where all of it is exact.
template <class Decode> uint16_t nearest(double value, Decode decode) {
  uint16_t below = 0;
  for (int bit = 14; bit >= 0; --bit) // the largest number that is not above |value|
    if (const uint16_t candidate = below | (1u << bit); decode(candidate) <= std::fabs(value))
      below = candidate;
  const double low = std::fabs(value) - decode(below), high = decode(below + 1) - std::fabs(value);
  const uint16_t magnitude = low < high || (low == high && below % 2 == 0) ? below : below + 1;
  return magnitude | (std::signbit(value) ? 0x8000 : 0);
}

TEST(Half, RoundsToNearestEven) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-27, 15), mantissa(1, 2);
  for (int i = 0; i < 200000; ++i) {
    const double value = std::ldexp(mantissa(random), static_cast<int>(exponent(random))) * (i % 2 ? 1 : -1);
    ASSERT_EQ(core::to_float16(value),
              nearest(value, [](uint16_t bits) { return static_cast<double>(std::bit_cast<_Float16>(bits)); }))
        << value;
    ASSERT_EQ(
        core::to_bfloat16(value),
        nearest(value, [](uint16_t bits) { return static_cast<double>(std::bit_cast<float>(uint32_t{bits} << 16)); }))
        << value;
  }
}

TEST(Half, Edges) {
  EXPECT_EQ(core::to_float16(65519.99), 0x7bff); // the largest number
  EXPECT_EQ(core::to_float16(65520), 0x7c00);    // the tie to infinity
  EXPECT_EQ(core::to_float16(0x1p-25), 0);       // the tie between 0 and the smallest subnormal
  EXPECT_EQ(core::to_float16(0x1.000001p-25), 1);
  EXPECT_EQ(core::to_float16(-0.0), 0x8000);
  EXPECT_EQ(core::to_float16(-INFINITY), 0xfc00);
  EXPECT_EQ(core::to_float16(1e300), 0x7c00);
  EXPECT_EQ(core::to_float16(5e-324), 0);
  EXPECT_TRUE(std::isnan(static_cast<float>(std::bit_cast<_Float16>(core::to_float16(NAN)))));
  EXPECT_EQ(core::to_bfloat16(NAN) & 0x7fc0, 0x7fc0);
  // A double just above a float tie: rounding through float would lose it.
  EXPECT_EQ(core::to_bfloat16(1 + 0x1p-8 + 0x1p-40), 0x3f81);
}

} // namespace

} // namespace kernix::test
