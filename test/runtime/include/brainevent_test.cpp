// test/runtime/include/brainevent_test.cpp - brainevent's headers in plain C++: checks, dispatch, the names of the
// types.

#include "brainevent/common.h"
#include "brainevent/dtypes.h"
#include "xla/ffi/api/ffi.h"

#include <gtest/gtest.h>

#include <complex>
#include <map>
#include <string>
#include <type_traits>

namespace {

template <class Function> std::string message_of(Function function) {
  try {
    function();
  } catch (const BE::CheckError &error) {
    return error.what();
  }
  return "none";
}

/// What stands before the place.
std::string text_of(const std::string &message) { return message.substr(0, message.rfind(" [")); }

TEST(Check, IsAnExpression) {
  int evaluated = 0;
  BE_CHECK(true) << "not evaluated " << ++evaluated;
  EXPECT_EQ(evaluated, 0);
  if (evaluated == 0)
    BE_CHECK(evaluated == 0);
  else
    FAIL();
}

TEST(Check, SaysWhatFailed) {
  const std::string bare = message_of([] { BE_CHECK(1 + 1 == 3); });
  EXPECT_EQ(text_of(bare), "BE_CHECK(1 + 1 == 3) failed");
  EXPECT_NE(bare.find("brainevent_test.cpp:"), std::string::npos);
  EXPECT_EQ(text_of(message_of([] { BE_CHECK((std::is_same_v<int, float>)); })),
            "BE_CHECK((std::is_same_v<int, float>)) failed");
}

TEST(Check, TakesWhatPeoplePrint) {
  const char *const none = nullptr;
  const std::string text = "text";
  EXPECT_EQ(text_of(message_of([&] {
              BE_CHECK(false) << "a" << 'b' << 1 << -2L << 3u << size_t{4} << true << 0.5 << 1.25f << text << none
                              << BE::DType::BFloat16 << int8_t{7};
            })),
            "BE_CHECK(false) failed: ab1-234true0.51.25text(null)bfloat167");
}

TEST(Check, IsAnErrorOfKernix) {
  EXPECT_THROW(BE_CHECK(false), std::runtime_error);
  EXPECT_THROW(BE_CHECK(false), kernix::KernelError);
}

TEST(Types, AreThoseOfKernix) {
  static_assert(std::is_same_v<BE::Tensor, kernix::Tensor>);
  static_assert(std::is_same_v<BE::DType, kernix::DType>);
  static_assert(BE::kMaxDim == 8);
  EXPECT_STREQ(BE::dtype_name(BE::DType::UInt16), "uint16");
  EXPECT_EQ(BE::dtype_size(BE::DType::Complex128), 16u);
  EXPECT_STREQ(BE::dtype_name(BE::DType::Invalid), "invalid");
}

TEST(Types, ComplexElements) {
  BE::complex64_t data[2] = {{1, 2}, {3, 4}};
  const int64_t shape[] = {2};
  EXPECT_EQ(BE::Tensor(data, shape, 1, BE::DType::Complex64).data_ptr<BE::complex64_t>()[1].imag, 4);
}

/// The size of the type that a macro chooses, 0 for a failed check.
#define SIZES(MACRO)                                                                                                   \
  [](BE::DType dtype) {                                                                                                \
    size_t size = 0;                                                                                                   \
    try {                                                                                                              \
      MACRO(dtype, chosen_t, { size = sizeof(chosen_t); });                                                            \
    } catch (const BE::CheckError &error) {                                                                            \
      EXPECT_EQ(text_of(error.what()),                                                                                 \
                std::string("BE_CHECK(false) failed: " #MACRO ": unsupported dtype ") + BE::dtype_name(dtype));        \
    }                                                                                                                  \
    return size;                                                                                                       \
  }

using BE::DType;
using Sizes = std::map<DType, size_t>;
Sizes floating() { return {{DType::Float32, 4}, {DType::Float64, 8}}; }
Sizes index() { return {{DType::Int32, 4}, {DType::Int64, 8}}; }
Sizes integral() {
  return {{DType::Bool, 1},  {DType::Int8, 1},   {DType::Int16, 2},  {DType::Int32, 4}, {DType::Int64, 8},
          {DType::UInt8, 1}, {DType::UInt16, 2}, {DType::UInt32, 4}, {DType::UInt64, 8}};
}
Sizes complex() { return {{DType::Complex64, 8}, {DType::Complex128, 16}}; }
Sizes half() { return {{DType::Float16, 2}, {DType::BFloat16, 2}}; }

template <class Function> void expect_types(Function sizes, std::initializer_list<Sizes> lists) {
  Sizes expected;
  for (const auto &list : lists)
    expected.insert(list.begin(), list.end());
  for (const auto &list : {floating(), integral(), complex(), half()})
    for (const auto &[dtype, size] : list)
      EXPECT_EQ(sizes(dtype), expected.contains(dtype) ? size : 0) << BE::dtype_name(dtype);
  EXPECT_EQ(sizes(DType::Invalid), 0u);
}

TEST(Dispatch, Floating) { expect_types(SIZES(BE_DISPATCH_FLOATING), {floating()}); }
TEST(Dispatch, FloatingTypes) { expect_types(SIZES(BE_DISPATCH_FLOATING_TYPES), {floating()}); }
// Half types are CUDA's.
TEST(Dispatch, FloatingAndHalf) { expect_types(SIZES(BE_DISPATCH_FLOATING_AND_HALF), {floating()}); }
TEST(Dispatch, Integral) { expect_types(SIZES(BE_DISPATCH_INTEGRAL), {integral()}); }
TEST(Dispatch, SignedIndex) { expect_types(SIZES(BE_DISPATCH_SIGNED_INDEX), {index()}); }
TEST(Dispatch, CsrIndptr) { expect_types(SIZES(BE_DISPATCH_CSR_INDPTR), {index()}); }
TEST(Dispatch, Complex) { expect_types(SIZES(BE_DISPATCH_COMPLEX), {complex()}); }
TEST(Dispatch, AllTypes) { expect_types(SIZES(BE_DISPATCH_ALL_TYPES), {floating(), integral()}); }
TEST(Dispatch, All) { expect_types(SIZES(BE_DISPATCH_ALL), {floating(), integral(), complex(), half()}); }

TEST(Dispatch, TwoTypes) {
  size_t sizes = 0;
  BE_DISPATCH_SIGNED_INDEX_PAIR(DType::Int32, DType::Int64, first_t, second_t, {
    const first_t a = 3, b = 4;
    sizes = 10 * sizeof(a) + sizeof(second_t) + static_cast<size_t>(b - a - 1);
  });
  EXPECT_EQ(sizes, 48u);
}

TEST(Dispatch, Indices) {
  int32_t data[1] = {};
  const int64_t shape[] = {1};
  const BE::Tensor good(data, shape, 1, DType::Int32), bad(data, shape, 1, DType::Float32);
  BE_CHECK_CSR_INDICES_INT32(good);
  EXPECT_NE(message_of([&] { BE_CHECK_CSR_INDICES_INT32(bad); }).find("indices are int32, not float32"),
            std::string::npos);
}

TEST(XlaError, BetweenFunctions) {
  const auto error = xla::ffi::Error::Internal("text");
  EXPECT_TRUE(error.failure());
  EXPECT_FALSE(error.success());
  EXPECT_EQ(std::string(error.message()), "text");
  EXPECT_TRUE(xla::ffi::Error::Success().success());
}

} // namespace
