// test/runtime/selector/usage_test.cpp - the usage examples of docs/selector.md.

#include "kernix/kernel_selector.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

TEST(Usage, BasicSelection) {
  KernelRegistry::clear();
  auto selector = KernelRegistry::get_or_create_selector("cuda:0");
  const int64_t shape[] = {4};
  const Tensor tensor(nullptr, DType::BFloat16, shape, 1);
  EXPECT_EQ(selector.get_kernel_dtype(tensor), KernelDtype::BFloat16);
  EXPECT_EQ(selector.get_kernel_dtype("conv2d", {DType::Float16}), KernelDtype::Float16);
}

TEST(Usage, RegisterCustomKernel) {
  KernelSelector selector("cuda:0");
  const KernelCapability capability(KernelDtype::Float16, /*is_available=*/true, /*supports_tensor_cores=*/true,
                                    /*performance_factor=*/2.0f, /*memory_efficiency=*/2.0f);
  selector.register_kernel_capability("custom_op", capability);
  EXPECT_EQ(selector.select_best_kernel("custom_op", {DType::Float32}, KernelDtype::Float16), KernelDtype::Float16);
}

TEST(Usage, CheckAvailability) {
  const auto selector = KernelRegistry::get_or_create_selector("cuda:0");
  EXPECT_TRUE(selector.is_kernel_available("conv2d", KernelDtype::Float16));
  EXPECT_TRUE(selector.is_kernel_available("matmul", KernelDtype::BFloat16));
}

TEST(Usage, PerformanceStats) {
  KernelSelector selector("cuda:0");
  EXPECT_FALSE(selector.get_performance_stats("conv2d", KernelDtype::Float16));
  selector.update_performance_stats("conv2d", KernelDtype::Float16, 1.5f);
  const auto stats = selector.get_performance_stats("conv2d", KernelDtype::Float16);
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->average_execution_time(), 1.5f);
  EXPECT_EQ(stats->execution_count(), 1);
}

} // namespace

} // namespace kernix::test
