// test/runtime/selector/statistics_test.cpp - times of kernels.

#include "errors.h"
#include "kernix/kernel_selector.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kernix::test {

namespace {

TEST(Statistics, NoneBeforeTheFirstTime) {
  KernelSelector selector("cpu");
  EXPECT_FALSE(selector.get_performance_stats("conv2d", KernelDtype::Float16));
  selector.register_kernel_capability("conv2d", KernelCapability::create_float16());
  EXPECT_FALSE(selector.get_performance_stats("conv2d", KernelDtype::Float16));
  selector.update_performance_stats("conv2d", KernelDtype::Float32, 1);
  EXPECT_FALSE(selector.get_performance_stats("conv2d", KernelDtype::Float16));
}

TEST(Statistics, AverageLeastGreatestCount) {
  KernelSelector selector("cpu");
  selector.update_performance_stats("conv2d", KernelDtype::Float16, 2.0f);
  auto stats = selector.get_performance_stats("conv2d", KernelDtype::Float16);
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->operation_name(), "conv2d");
  EXPECT_EQ(stats->dtype(), KernelDtype::Float16);
  EXPECT_EQ(stats->average_execution_time(), 2.0f);
  EXPECT_EQ(stats->min_execution_time(), 2.0f);
  EXPECT_EQ(stats->max_execution_time(), 2.0f);
  EXPECT_EQ(stats->execution_count(), 1);

  selector.update_performance_stats("conv2d", KernelDtype::Float16, 4.0f);
  selector.update_performance_stats("conv2d", KernelDtype::Float16, 0.0f);
  stats = selector.get_performance_stats("conv2d", KernelDtype::Float16);
  EXPECT_EQ(stats->average_execution_time(), 2.0f);
  EXPECT_EQ(stats->min_execution_time(), 0.0f);
  EXPECT_EQ(stats->max_execution_time(), 4.0f);
  EXPECT_EQ(stats->execution_count(), 3);
}

TEST(Statistics, ManySmallTimesAreNotLost) {
  KernelSelector selector("cpu");
  selector.update_performance_stats("conv2d", KernelDtype::Float32, 1000.0f);
  for (int i = 0; i < 100000; ++i)
    selector.update_performance_stats("conv2d", KernelDtype::Float32, 0.01f);
  const auto stats = selector.get_performance_stats("conv2d", KernelDtype::Float32);
  EXPECT_NEAR(stats->average_execution_time(), 2000.0 / 100001, 1e-5);
  EXPECT_EQ(stats->execution_count(), 100001);
}

TEST(Statistics, EachDtypeAndOperationHasItsOwn) {
  KernelSelector selector("cpu");
  selector.update_performance_stats("conv2d", KernelDtype::Float16, 1);
  selector.update_performance_stats("conv2d", KernelDtype::BFloat16, 2);
  selector.update_performance_stats("matmul_fp16", KernelDtype::Float16, 3);
  EXPECT_EQ(selector.get_performance_stats("conv2d", KernelDtype::Float16)->average_execution_time(), 1);
  EXPECT_EQ(selector.get_performance_stats("conv2d_bf16", KernelDtype::BFloat16)->average_execution_time(), 2);
  EXPECT_EQ(selector.get_performance_stats("matmul", KernelDtype::Float16)->average_execution_time(), 3);
}

TEST(Statistics, Text) {
  EXPECT_EQ(KernelPerformanceStats("conv2d", KernelDtype::Float16, 1.5f, 1, 2, 2).to_string(),
            "conv2d (Float16): average 1.500 ms, min 1.000 ms, max 2.000 ms, 2 executions");
  EXPECT_EQ(KernelPerformanceStats("f", KernelDtype::Mixed, 1, 1, 1, 1).to_string(),
            "f (Mixed): average 1.000 ms, min 1.000 ms, max 1.000 ms, 1 execution");
}

TEST(Statistics, TextSaysHowManyWereTimed) {
  const KernelPerformanceStats stats("f", KernelDtype::Float32, 1, 1, 1, 100, 4);
  EXPECT_EQ(stats.execution_count(), 100);
  EXPECT_EQ(stats.timed_count(), 4);
  EXPECT_EQ(stats.to_string(), "f (Float32): average 1.000 ms, min 1.000 ms, max 1.000 ms, 100 executions, 4 timed");
  EXPECT_EQ(KernelPerformanceStats("f", KernelDtype::Float32, 1, 1, 1, 3).timed_count(), 3);
}

TEST(Statistics, WrongTimesAreErrorsAndNotCounted) {
  KernelSelector selector("cpu");
  for (float wrong : {-1.0f, -1e-30f, std::nanf(""), std::numeric_limits<float>::infinity()})
    EXPECT_NE(value_error([&] { selector.update_performance_stats("conv2d", KernelDtype::Float16, wrong); }), "");
  EXPECT_EQ(value_error([&] { selector.update_performance_stats("conv2d", KernelDtype::Float16, -1); }),
            "execution time: expected a finite number that is not negative, got -1");
  EXPECT_NE(value_error([&] { selector.update_performance_stats("conv2d", KernelDtype::Auto, 1); }), "");
  EXPECT_NE(value_error([&] { (void)selector.get_performance_stats("conv2d", static_cast<KernelDtype>(9)); }), "");
  EXPECT_FALSE(selector.get_performance_stats("conv2d", KernelDtype::Float16));
}

} // namespace

} // namespace kernix::test
