// test/runtime/core/scalar_test.cpp - conversion of values to C++ scalars: ranges, kinds, rounding.

#include "core/scalar.h"

#include "record.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kernix::test {

namespace {

using core::Conversion;

template <class T> T converted(const kernix_value &from, kernix_dtype dtype) {
  T result = {};
  EXPECT_TRUE(core::is_accepted(core::convert_scalar(from, dtype, &result)));
  return result;
}
Conversion outcome(const kernix_value &from, kernix_dtype dtype) {
  char object[16];
  return core::convert_scalar(from, dtype, object);
}

constexpr kernix_dtype dtype(int code, int bits) { return {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1}; }

template <class T> void check_range(kernix_dtype type) {
  const int64_t lowest = static_cast<int64_t>(std::numeric_limits<T>::min());
  const int64_t highest = static_cast<int64_t>(std::numeric_limits<T>::max());
  EXPECT_EQ(converted<T>(integer(lowest), type), std::numeric_limits<T>::min());
  EXPECT_EQ(converted<T>(integer(highest), type), std::numeric_limits<T>::max());
  EXPECT_EQ(outcome(integer(lowest - 1), type), Conversion::OutOfRange);
  EXPECT_EQ(outcome(integer(highest + 1), type), Conversion::OutOfRange);
}

TEST(Scalar, IntegerRanges) {
  check_range<int8_t>(dtype(KERNIX_INT, 8));
  check_range<int16_t>(dtype(KERNIX_INT, 16));
  check_range<int32_t>(dtype(KERNIX_INT, 32));
  check_range<uint8_t>(dtype(KERNIX_UINT, 8));
  check_range<uint16_t>(dtype(KERNIX_UINT, 16));
  check_range<uint32_t>(dtype(KERNIX_UINT, 32));
}

TEST(Scalar, SixtyFourBits) {
  EXPECT_EQ(converted<int64_t>(integer(INT64_MIN), int64), INT64_MIN);
  EXPECT_EQ(outcome(unsigned_integer(uint64_t{1} << 63), int64), Conversion::OutOfRange);
  EXPECT_EQ(converted<uint64_t>(unsigned_integer(UINT64_MAX), uint64), UINT64_MAX);
  EXPECT_EQ(outcome(integer(-1), uint64), Conversion::OutOfRange);
  EXPECT_EQ(outcome(make_value(KERNIX_VALUE_BIG_INT), int64), Conversion::OutOfRange);
  EXPECT_EQ(outcome(make_value(KERNIX_VALUE_BIG_INT), uint64), Conversion::OutOfRange);
}

TEST(Scalar, IntegersRefuseWhatIsNotAnInteger) {
  EXPECT_EQ(outcome(real(3.0), int32), Conversion::WrongKind);
  EXPECT_EQ(outcome(real(NAN), int32), Conversion::WrongKind);
  EXPECT_EQ(outcome(complex(3, 0), int32), Conversion::WrongKind);
  EXPECT_EQ(outcome(string("3"), int32), Conversion::WrongKind);
  EXPECT_EQ(outcome(none(), int32), Conversion::WrongKind);
  EXPECT_EQ(outcome(truth(true), int32), Conversion::Promoted);
  EXPECT_EQ(converted<int32_t>(truth(true), int32), 1);
}

TEST(Scalar, Bool) {
  EXPECT_TRUE(converted<bool>(truth(true), boolean));
  EXPECT_FALSE(converted<bool>(integer(0), boolean));
  EXPECT_EQ(outcome(integer(2), boolean), Conversion::OutOfRange);
  EXPECT_EQ(outcome(real(1.0), boolean), Conversion::WrongKind);
}

TEST(Scalar, FloatingPoint) {
  EXPECT_EQ(converted<float>(real(0.1), float32), 0.1f);
  EXPECT_EQ(converted<double>(real(0.1), float64), 0.1);
  EXPECT_EQ(converted<float>(integer(-3), float32), -3.f);
  EXPECT_EQ(converted<float>(truth(true), float32), 1.f);
  EXPECT_EQ(converted<double>(unsigned_integer(UINT64_MAX), float64), 18446744073709551616.0);
  EXPECT_EQ(outcome(complex(1, 0), float32), Conversion::WrongKind);
  EXPECT_EQ(outcome(make_value(KERNIX_VALUE_BIG_INT), float32), Conversion::OutOfRange);
}

TEST(Scalar, FiniteValuesDoNotBecomeInfinite) {
  EXPECT_EQ(outcome(real(1e39), float32), Conversion::OutOfRange);
  EXPECT_EQ(outcome(real(-1e39), float32), Conversion::OutOfRange);
  EXPECT_EQ(outcome(real(65520), float16), Conversion::OutOfRange);
  EXPECT_EQ(outcome(real(3.4e38), bfloat16), Conversion::OutOfRange);
  EXPECT_EQ(converted<float>(real(INFINITY), float32), INFINITY);
  EXPECT_TRUE(std::isnan(converted<float>(real(NAN), float32)));
}

TEST(Scalar, IntegersAreRoundedOnceToSmallFormats) {
  // Between two bfloat16 neighbours (2^62 and 2^62 + 2^55), just above the middle: a double would drop the last 1 and
  // land on the tie.
  const int64_t above = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;
  const int64_t middle = (int64_t{1} << 62) + (int64_t{1} << 54);
  EXPECT_EQ(converted<uint16_t>(integer(above), bfloat16), 0x5e81);
  EXPECT_EQ(converted<uint16_t>(integer(middle), bfloat16), 0x5e80);
  EXPECT_EQ(converted<uint16_t>(integer(-above), bfloat16), 0xde81);
  for (int64_t i :
       {(int64_t{1} << 60) + (int64_t{1} << 36) + 1, INT64_MAX, (int64_t{1} << 54) + (int64_t{1} << 30) + 1})
    EXPECT_EQ(converted<float>(integer(i), float32), static_cast<float>(i)) << i;
}

TEST(Scalar, Complex) {
  const auto parts = converted<std::pair<float, float>>(complex(1.5, -2), complex64);
  EXPECT_EQ(parts, std::pair(1.5f, -2.f));
  EXPECT_EQ((converted<std::pair<float, float>>(integer(3), complex64)), std::pair(3.f, 0.f));
  EXPECT_EQ(outcome(complex(0, 1e39), complex64), Conversion::OutOfRange);
  EXPECT_EQ(outcome(string("1"), complex64), Conversion::WrongKind);
}

TEST(Scalar, ExpectedTexts) {
  EXPECT_EQ(core::expected_scalar_text(int32, Conversion::OutOfRange), "int32 (-2147483648 to 2147483647)");
  EXPECT_EQ(core::expected_scalar_text(int64, Conversion::OutOfRange),
            "int64 (-9223372036854775808 to 9223372036854775807)");
  EXPECT_EQ(core::expected_scalar_text(uint8, Conversion::OutOfRange), "uint8 (0 to 255)");
  EXPECT_EQ(core::expected_scalar_text(uint64, Conversion::OutOfRange), "uint64 (0 to 18446744073709551615)");
  EXPECT_EQ(core::expected_scalar_text(float16, Conversion::OutOfRange), "a number within the range of float16");
  EXPECT_EQ(core::expected_scalar_text(int32, Conversion::WrongKind), "an integer (int32)");
  EXPECT_EQ(core::expected_scalar_text(complex64, Conversion::WrongKind), "a number (complex64)");
}

} // namespace

} // namespace kernix::test
