// test/runtime/selector/registry_test.cpp - one selector for each device, with default capabilities.

#include "kernix/kernel_selector.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace kernix::test {

namespace {

class Registry : public testing::Test {
protected:
  void SetUp() override { KernelRegistry::clear(); }
  void TearDown() override { KernelRegistry::clear(); }
};

TEST_F(Registry, OneSelectorForEachDevice) {
  const KernelSelector cpu = KernelRegistry::get_or_create_selector("cpu");
  EXPECT_EQ(KernelRegistry::get_or_create_selector("cpu"), cpu);
  EXPECT_EQ(KernelRegistry::get_or_create_selector("cuda"), KernelRegistry::get_or_create_selector("cuda:0"));
  EXPECT_FALSE(KernelRegistry::get_or_create_selector("cuda:1") == KernelRegistry::get_or_create_selector("cuda:0"));
  EXPECT_FALSE(KernelRegistry::get_or_create_selector("cuda:0") == cpu);
  EXPECT_FALSE(KernelSelector("cpu") == cpu);
}

TEST_F(Registry, AllSelectors) {
  EXPECT_TRUE(KernelRegistry::get_all_selectors().empty());
  const KernelSelector cpu = KernelRegistry::get_or_create_selector("cpu");
  const KernelSelector second = KernelRegistry::get_or_create_selector("cuda:1");
  const auto all = KernelRegistry::get_all_selectors();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at("cpu"), cpu);
  EXPECT_EQ(all.at("cuda:1"), second);
}

TEST_F(Registry, ClearForgetsSelectorsAndWhatWasRegistered) {
  KernelSelector old = KernelRegistry::get_or_create_selector("cpu");
  old.register_kernel_capability("blend", KernelCapability::create_float16());
  KernelRegistry::clear();
  EXPECT_TRUE(KernelRegistry::get_all_selectors().empty());
  const KernelSelector fresh = KernelRegistry::get_or_create_selector("cpu");
  EXPECT_FALSE(fresh == old);
  EXPECT_FALSE(fresh.is_kernel_available("blend", KernelDtype::Float16));
  EXPECT_TRUE(fresh.is_kernel_available("conv2d", KernelDtype::Float16));
  // Whoever holds one may go on.
  EXPECT_TRUE(old.is_kernel_available("blend", KernelDtype::Float16));
}

TEST_F(Registry, DefaultCapabilities) {
  const KernelSelector selector("cuda:0");
  for (const char *operation : {"conv2d", "matmul"}) {
    const std::string name = operation;
    for (KernelDtype dtype : {KernelDtype::Float32, KernelDtype::Float16, KernelDtype::BFloat16})
      EXPECT_TRUE(selector.is_kernel_available(name, dtype)) << name;
    EXPECT_TRUE(selector.is_kernel_available(name + "_fp16", KernelDtype::Float16));
    EXPECT_TRUE(selector.is_kernel_available(name + "_bf16", KernelDtype::BFloat16));
    EXPECT_FALSE(selector.is_kernel_available(name, KernelDtype::Mixed));
    EXPECT_FALSE(selector.capability(name, KernelDtype::Float32)->supports_tensor_cores());
  }
  for (const char *operation : {"relu", "gelu", "maxpool2d", "avgpool2d"}) {
    EXPECT_TRUE(selector.is_kernel_available(operation, KernelDtype::Float32)) << operation;
    EXPECT_FALSE(selector.is_kernel_available(operation, KernelDtype::Float16)) << operation;
    EXPECT_FALSE(selector.is_kernel_available(operation, KernelDtype::BFloat16)) << operation;
  }
  EXPECT_TRUE(KernelRegistry::get_or_create_selector("cpu").is_kernel_available("matmul", KernelDtype::BFloat16));
}

TEST_F(Registry, DefaultsHoldUntilSomethingIsRegistered) {
  KernelSelector selector("cuda:0");
  EXPECT_EQ(selector.select_best_kernel("conv2d", {DType::Float16}), KernelDtype::Float16);
  selector.register_kernel_capability("conv2d", KernelCapability::create_float32());
  EXPECT_TRUE(selector.is_kernel_available("conv2d", KernelDtype::Float32));
  EXPECT_FALSE(selector.is_kernel_available("conv2d", KernelDtype::Float16));
  EXPECT_FALSE(selector.capability("conv2d", KernelDtype::BFloat16));
  EXPECT_EQ(selector.select_best_kernel("conv2d", {DType::Float16}, KernelDtype::BFloat16), KernelDtype::Float32);
  // What follows is added to it, and no other operation is concerned.
  selector.register_kernel_capability("conv2d_fp16", KernelCapability(KernelDtype::Float16, false));
  EXPECT_TRUE(selector.is_kernel_available("conv2d", KernelDtype::Float32));
  EXPECT_FALSE(selector.is_kernel_available("conv2d", KernelDtype::Float16));
  EXPECT_TRUE(selector.is_kernel_available("matmul", KernelDtype::BFloat16));
  // Registered as defaults they are added like any others.
  KernelRegistry::register_default_capabilities("cuda:0", selector);
  for (KernelDtype dtype : {KernelDtype::Float32, KernelDtype::Float16, KernelDtype::BFloat16})
    EXPECT_TRUE(selector.is_kernel_available("conv2d", dtype));
}

TEST_F(Registry, WhatIsRegisteredWithItIsAddedToTheDefaults) {
  KernelSelector selector = KernelRegistry::get_or_create_selector("cpu");
  selector.set_policy("matmul", KernelPolicy::Promote);
  selector.register_kernel_capability("matmul", KernelCapability(KernelDtype::Float16, false));
  EXPECT_TRUE(selector.is_kernel_available("matmul", KernelDtype::Float32));
  EXPECT_FALSE(selector.is_kernel_available("matmul", KernelDtype::Float16));
  EXPECT_TRUE(selector.is_kernel_available("matmul", KernelDtype::BFloat16));
  EXPECT_EQ(selector.policy("matmul"), KernelPolicy::Promote);
}

bool has_tensor_cores(const Device &device, int compute_capability, KernelDtype dtype) {
  KernelSelector selector(device);
  KernelRegistry::register_default_capabilities(device, selector, compute_capability);
  return selector.capability("matmul", dtype)->supports_tensor_cores();
}

TEST_F(Registry, TensorCoresByComputeCapability) {
  EXPECT_FALSE(has_tensor_cores("cuda:0", 61, KernelDtype::Float16));
  EXPECT_TRUE(has_tensor_cores("cuda:0", 75, KernelDtype::Float16));
  EXPECT_FALSE(has_tensor_cores("cuda:0", 75, KernelDtype::BFloat16));
  EXPECT_TRUE(has_tensor_cores("cuda:0", 80, KernelDtype::BFloat16));
  EXPECT_TRUE(has_tensor_cores("cuda:0", 90, KernelDtype::BFloat16));
  EXPECT_FALSE(has_tensor_cores("cuda:0", 90, KernelDtype::Float32));
  EXPECT_FALSE(has_tensor_cores("cpu", 90, KernelDtype::Float16));
  EXPECT_FALSE(has_tensor_cores("cpu", 0, KernelDtype::BFloat16));
  // A device that the driver does not know.
  EXPECT_TRUE(has_tensor_cores("cuda:1000", 0, KernelDtype::BFloat16));
  EXPECT_THROW(has_tensor_cores("cuda:0", -1, KernelDtype::Float16), KernelError);
}

TEST_F(Registry, ManyThreadsGetOneSelector) {
  std::vector<KernelSelector> found(16, KernelSelector("cpu"));
  std::vector<std::thread> threads;
  for (KernelSelector &each : found)
    threads.emplace_back([&each] { each = KernelRegistry::get_or_create_selector("cuda:7"); });
  for (std::thread &thread : threads)
    thread.join();
  for (const KernelSelector &each : found)
    EXPECT_EQ(each, found.front());
}

} // namespace

} // namespace kernix::test
