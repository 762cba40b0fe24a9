// test/runtime/selector/capability_test.cpp - capabilities: factories, registration, availability.

#include "errors.h"
#include "kernix/kernel_selector.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kernix::test {

namespace {

TEST(KernelCapability, HasTheSeedsDefaults) {
  const KernelCapability capability(KernelDtype::BFloat16);
  EXPECT_EQ(capability.dtype(), KernelDtype::BFloat16);
  EXPECT_TRUE(capability.is_available());
  EXPECT_FALSE(capability.supports_tensor_cores());
  EXPECT_EQ(capability.performance_factor(), 1.0f);
  EXPECT_EQ(capability.memory_efficiency(), 1.0f);
}

TEST(KernelCapability, Factories) {
  const KernelCapability float32 = KernelCapability::create_float32(), float16 = KernelCapability::create_float16(),
                         bfloat16 = KernelCapability::create_bfloat16();
  EXPECT_EQ(float32.dtype(), KernelDtype::Float32);
  EXPECT_EQ(float16.dtype(), KernelDtype::Float16);
  EXPECT_EQ(bfloat16.dtype(), KernelDtype::BFloat16);
  EXPECT_FALSE(float32.supports_tensor_cores());
  EXPECT_TRUE(float16.supports_tensor_cores());
  EXPECT_TRUE(bfloat16.supports_tensor_cores());
  EXPECT_TRUE(KernelCapability::create_float32(true).supports_tensor_cores());
  EXPECT_FALSE(KernelCapability::create_float16(false).supports_tensor_cores());
  EXPECT_FALSE(KernelCapability::create_bfloat16(false).supports_tensor_cores());
  for (const KernelCapability &each : {float32, float16, bfloat16}) {
    EXPECT_TRUE(each.is_available());
    EXPECT_EQ(each.performance_factor(), 1.0f);
    EXPECT_EQ(each.memory_efficiency(), 1.0f);
  }
}

TEST(KernelCapability, WrongValuesAreErrors) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (float wrong : {0.0f, -0.0f, -1.0f, infinity, std::nanf("")}) {
    EXPECT_NE(value_error([&] { KernelCapability(KernelDtype::Float16, true, true, wrong); }), "") << wrong;
    EXPECT_NE(value_error([&] { KernelCapability(KernelDtype::Float16, true, true, 1, wrong); }), "") << wrong;
  }
  EXPECT_EQ(value_error([&] { KernelCapability(KernelDtype::Float16, true, true, -1); }),
            "performance factor: expected a positive, finite number, got -1");
  EXPECT_EQ(value_error([&] { KernelCapability{KernelDtype::Auto}; }),
            "kernel dtype: expected Float32, Float16, BFloat16 or Mixed, got Auto, which no kernel has");
  EXPECT_NE(value_error([&] { KernelCapability{static_cast<KernelDtype>(5)}; }), "");
  EXPECT_NE(value_error([&] { KernelCapability{static_cast<KernelDtype>(-1)}; }), "");
}

TEST(Registration, ReadsBackWhatWasRegistered) {
  KernelSelector selector("cpu");
  for (bool is_available : {true, false})
    for (bool has_tensor_cores : {true, false})
      for (KernelDtype dtype :
           {KernelDtype::Float32, KernelDtype::Float16, KernelDtype::BFloat16, KernelDtype::Mixed}) {
        selector.register_kernel_capability("blend", KernelCapability(dtype, is_available, has_tensor_cores, 2.5f,
                                                                      std::numeric_limits<float>::denorm_min()));
        const auto found = selector.capability("blend", dtype);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->dtype(), dtype);
        EXPECT_EQ(found->is_available(), is_available);
        EXPECT_EQ(found->supports_tensor_cores(), has_tensor_cores);
        EXPECT_EQ(found->performance_factor(), 2.5f);
        EXPECT_EQ(found->memory_efficiency(), std::numeric_limits<float>::denorm_min());
        EXPECT_EQ(selector.is_kernel_available("blend", dtype), is_available);
      }
}

TEST(Registration, LaterOneReplacesEarlierOneOfTheSameDtypeOnly) {
  KernelSelector selector("cpu");
  selector.register_kernel_capability("blend", KernelCapability::create_float32());
  selector.register_kernel_capability("blend", KernelCapability::create_float16());
  selector.register_kernel_capability("blend", KernelCapability(KernelDtype::Float16, false));
  EXPECT_TRUE(selector.is_kernel_available("blend", KernelDtype::Float32));
  EXPECT_FALSE(selector.is_kernel_available("blend", KernelDtype::Float16));
  EXPECT_FALSE(selector.capability("blend", KernelDtype::Float16)->supports_tensor_cores());
}

TEST(Registration, UnknownIsNotAvailable) {
  KernelSelector selector("cpu");
  selector.register_kernel_capability("blend", KernelCapability::create_float16());
  EXPECT_FALSE(selector.is_kernel_available("unknown", KernelDtype::Float32));
  EXPECT_FALSE(selector.is_kernel_available("blend", KernelDtype::Float32));
  EXPECT_FALSE(selector.is_kernel_available("blend", KernelDtype::Mixed));
  EXPECT_FALSE(selector.is_kernel_available("blend", KernelDtype::Auto));
  EXPECT_FALSE(selector.capability("blend", KernelDtype::BFloat16));
  EXPECT_FALSE(selector.capability("unknown", KernelDtype::Float32));
}

TEST(Registration, EndingOfANameIsADtype) {
  KernelSelector selector("cpu");
  selector.register_kernel_capability("conv2d_fp16", KernelCapability::create_float16());
  selector.register_kernel_capability("conv2d", KernelCapability::create_bfloat16());
  for (const char *name : {"conv2d", "conv2d_fp16"})
    EXPECT_TRUE(selector.is_kernel_available(name, KernelDtype::Float16)) << name;
  for (const char *name : {"conv2d", "conv2d_bf16"})
    EXPECT_TRUE(selector.is_kernel_available(name, KernelDtype::BFloat16)) << name;
  EXPECT_FALSE(selector.is_kernel_available("conv2d_fp16", KernelDtype::BFloat16));
  EXPECT_FALSE(selector.is_kernel_available("conv2d_fp32", KernelDtype::Float32));
  EXPECT_TRUE(selector.capability("conv2d_fp16", KernelDtype::Float16));
  // Another dtype than the name ends in is an operation of that name.
  selector.register_kernel_capability("scale_fp16", KernelCapability::create_float32());
  EXPECT_TRUE(selector.is_kernel_available("scale_fp16", KernelDtype::Float32));
  EXPECT_FALSE(selector.is_kernel_available("scale", KernelDtype::Float32));
  // An ending alone is a name.
  selector.register_kernel_capability("_fp16", KernelCapability::create_float16());
  EXPECT_TRUE(selector.is_kernel_available("_fp16", KernelDtype::Float16));
}

TEST(Registration, ManyOperationsKeepTheirOwn) {
  KernelSelector selector("cpu");
  for (int i = 0; i < 2000; ++i)
    selector.register_kernel_capability("operation" + std::to_string(i),
                                        KernelCapability(static_cast<KernelDtype>(i % 4), i % 3 != 0));
  for (int i = 0; i < 2000; ++i)
    for (int dtype = 0; dtype < 4; ++dtype)
      EXPECT_EQ(selector.is_kernel_available("operation" + std::to_string(i), static_cast<KernelDtype>(dtype)),
                dtype == i % 4 && i % 3 != 0);
}

TEST(Registration, AnEmptyNameIsAnError) {
  KernelSelector selector("cpu");
  EXPECT_EQ(value_error([&] { selector.register_kernel_capability("", KernelCapability::create_float32()); }),
            "operation: expected a name, got an empty one");
}

TEST(Registration, SelectorsOfOneDeviceAreApartUnlessCopied) {
  KernelSelector one("cpu");
  const KernelSelector other("cpu"), copy = one;
  one.register_kernel_capability("blend", KernelCapability::create_float16());
  EXPECT_FALSE(other.is_kernel_available("blend", KernelDtype::Float16));
  EXPECT_TRUE(copy.is_kernel_available("blend", KernelDtype::Float16));
  EXPECT_EQ(copy, one);
}

} // namespace

} // namespace kernix::test
