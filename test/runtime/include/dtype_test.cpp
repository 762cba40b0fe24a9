// test/runtime/include/dtype_test.cpp - kernix/dtype.h: numbers, names, C++ types.

#include "kernix/dtype.h"

#include <complex>
#include <gtest/gtest.h>

namespace kernix {

namespace {

struct Float4 {
  float x, y, z, w;
};
struct UChar2 {
  unsigned char x, y;
};

template <class T> DType of() { return to_dtype(ElementOf<T>::dtype); }

TEST(DType, OfCppTypes) {
  EXPECT_EQ(of<float>(), DType::Float32);
  EXPECT_EQ(of<const double>(), DType::Float64);
  EXPECT_EQ(of<__half>(), DType::Float16);
  EXPECT_EQ(of<__nv_bfloat16>(), DType::BFloat16);
  EXPECT_EQ(of<char>(), DType::Int8);
  EXPECT_EQ(of<unsigned char>(), DType::UInt8);
  EXPECT_EQ(of<short>(), DType::Int16);
  EXPECT_EQ(of<int>(), DType::Int32);
  EXPECT_EQ(of<long>(), DType::Int64);
  EXPECT_EQ(of<long long>(), DType::Int64);
  EXPECT_EQ(of<unsigned long>(), DType::UInt64);
  EXPECT_EQ(of<bool>(), DType::Bool);
  EXPECT_EQ(of<std::complex<float>>(), DType::Complex64);
  EXPECT_EQ(of<std::complex<double>>(), DType::Complex128);
}

TEST(DType, OfVectorTypes) {
  EXPECT_EQ(of<Float4>(), DType::Float32);
  EXPECT_EQ(ElementOf<const Float4>::count, 4);
  EXPECT_EQ(of<UChar2>(), DType::UInt8);
  EXPECT_EQ(ElementOf<UChar2>::count, 2);
}

TEST(DType, SizesAndNames) {
  EXPECT_EQ(dtype_size(DType::BFloat16), 2u);
  EXPECT_EQ(dtype_size(DType::Complex128), 16u);
  EXPECT_EQ(dtype_size(DType::Invalid), 0u);
  EXPECT_STREQ(dtype_name(DType::BFloat16), "bfloat16");
  EXPECT_STREQ(dtype_name(DType::Invalid), "invalid");
}

TEST(DType, ThereAndBack) {
  for (DType dtype : {DType::Int8, DType::UInt64, DType::Float16, DType::BFloat16, DType::Complex128, DType::Bool})
    EXPECT_EQ(to_dtype(from_dtype(dtype)), dtype);
  EXPECT_EQ(to_dtype({KERNIX_FLOAT, 32, 4}), DType::Invalid);
  EXPECT_EQ(to_dtype({KERNIX_FLOAT, 24, 1}), DType::Invalid);
}

} // namespace

} // namespace kernix
