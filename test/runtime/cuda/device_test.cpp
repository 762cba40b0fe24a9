// test/runtime/cuda/device_test.cpp - compute capability, and what follows from it.

#include "cuda/device.h"
#include "fake_driver.h"
#include "kernix/kernel_selector.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

TEST(ComputeCapability, AsTheDriverSays) {
  fake_driver() = {};
  EXPECT_EQ(cuda::compute_capability(0), 75);
  EXPECT_EQ(cuda::compute_capability(1), 90);
  EXPECT_EQ(cuda::compute_capability(2), 0);
}

TEST(ComputeCapability, DecidesAboutDefaults) {
  fake_driver() = {};
  KernelRegistry::clear();
  const auto has_tensor_cores = [](const char *device, KernelDtype dtype) {
    return KernelRegistry::get_or_create_selector(device).capability("conv2d", dtype)->supports_tensor_cores();
  };
  EXPECT_TRUE(has_tensor_cores("cuda:0", KernelDtype::Float16));
  EXPECT_FALSE(has_tensor_cores("cuda:0", KernelDtype::BFloat16));
  EXPECT_TRUE(has_tensor_cores("cuda:1", KernelDtype::BFloat16));
}

} // namespace

} // namespace kernix::test
