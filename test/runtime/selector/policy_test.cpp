// test/runtime/selector/policy_test.cpp - policies other than the seed's, which an operation has to ask for.

#include "errors.h"
#include "kernix/kernel_selector.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

KernelSelector with(KernelPolicy policy, std::initializer_list<KernelCapability> capabilities) {
  KernelSelector selector("cpu");
  for (const KernelCapability &capability : capabilities)
    selector.register_kernel_capability("blend", capability);
  selector.set_policy("blend", policy);
  return selector;
}

void expect(const KernelSelection &selection, KernelDtype dtype, SelectionReason reason) {
  EXPECT_EQ(selection.dtype, dtype);
  EXPECT_EQ(selection.reason, reason);
}

void measure(KernelSelector &selector, KernelDtype dtype, float time, int count) {
  for (int i = 0; i < count; ++i)
    selector.update_performance_stats("blend", dtype, time);
}

TEST(Policy, IsTheSeedsUnlessSet) {
  KernelSelector selector("cpu");
  EXPECT_EQ(selector.policy("unknown"), KernelPolicy::Seed);
  selector.register_kernel_capability("blend", KernelCapability::create_float32());
  EXPECT_EQ(selector.policy("blend"), KernelPolicy::Seed);
  selector.set_policy("blend", KernelPolicy::Ranked);
  EXPECT_EQ(selector.policy("blend"), KernelPolicy::Ranked);
  selector.register_kernel_capability("blend", KernelCapability::create_float16());
  EXPECT_EQ(selector.policy("blend"), KernelPolicy::Ranked);
  selector.set_policy("blend", KernelPolicy::Seed);
  EXPECT_EQ(selector.policy("blend"), KernelPolicy::Seed);
  EXPECT_TRUE(selector.is_kernel_available("blend", KernelDtype::Float16));
}

TEST(Policy, OfAnUnknownOperationIsAnError) {
  KernelSelector selector("cpu");
  EXPECT_THROW(selector.set_policy("unknown", KernelPolicy::Promote), KernelError);
  selector.update_performance_stats("timed", KernelDtype::Float32, 1);
  EXPECT_THROW(selector.set_policy("timed", KernelPolicy::Promote), KernelError);
  selector.register_kernel_capability("blend", KernelCapability::create_float32());
  EXPECT_EQ(value_error([&] { selector.set_policy("blend", static_cast<KernelPolicy>(3)); }),
            "policy: expected 0 to 2, got 3");
}

TEST(Promote, TakesTheDtypeThatHoldsAllInputs) {
  const KernelSelector selector =
      with(KernelPolicy::Promote, {KernelCapability::create_float32(), KernelCapability::create_float16(),
                                   KernelCapability::create_bfloat16()});
  expect(selector.select("blend", {DType::Float16, DType::Float32}), KernelDtype::Float32, SelectionReason::Promoted);
  expect(selector.select("blend", {DType::Float16, DType::BFloat16}), KernelDtype::Float32, SelectionReason::Promoted);
  expect(selector.select("blend", {DType::Float16, DType::Float16}), KernelDtype::Float16, SelectionReason::Promoted);
  expect(selector.select("blend", {DType::Int64, DType::BFloat16}), KernelDtype::BFloat16, SelectionReason::Promoted);
  expect(selector.select("blend", {}), KernelDtype::Float32, SelectionReason::Promoted);
  expect(selector.select("blend", {DType::Float32}, KernelDtype::Float16), KernelDtype::Float16,
         SelectionReason::Preferred);
}

TEST(Promote, TakesFloat32IfTheKernelIsMissing) {
  const KernelSelector selector = with(KernelPolicy::Promote, {KernelCapability::create_float32()});
  expect(selector.select("blend", {DType::Float16}), KernelDtype::Float32, SelectionReason::Promoted);
  const KernelSelector without = with(KernelPolicy::Promote, {KernelCapability::create_float16()});
  expect(without.select("blend", {DType::BFloat16}), KernelDtype::Float32, SelectionReason::Fallback);
}

TEST(Promote, AKernelForMixedInputsComesFirst) {
  const KernelSelector selector =
      with(KernelPolicy::Promote, {KernelCapability::create_float32(), KernelCapability(KernelDtype::Mixed)});
  expect(selector.select("blend", {DType::Float16, DType::Float32}), KernelDtype::Mixed, SelectionReason::Mixed);
}

TEST(Ranked, ByFactorUntilAllKernelsAreMeasured) {
  KernelSelector selector = with(KernelPolicy::Ranked, {KernelCapability::create_float32(),
                                                        KernelCapability(KernelDtype::Float16, true, true, 2.0f),
                                                        KernelCapability(KernelDtype::BFloat16, false, true, 9.0f),
                                                        KernelCapability(KernelDtype::Mixed, true, true, 9.0f)});
  expect(selector.select("blend", {DType::Float32}), KernelDtype::Float16, SelectionReason::Factor);
  measure(selector, KernelDtype::Float32, 1, 10);
  measure(selector, KernelDtype::Float16, 5, 9);
  expect(selector.select("blend", {DType::Float32}), KernelDtype::Float16, SelectionReason::Factor);
  measure(selector, KernelDtype::Float16, 5, 1);
  expect(selector.select("blend", {DType::Float16}), KernelDtype::Float32, SelectionReason::Measured);
  measure(selector, KernelDtype::Float32, 100, 10);
  expect(selector.select("blend", {DType::Float32}), KernelDtype::Float16, SelectionReason::Measured);
  expect(selector.select("blend", {DType::Float16, DType::Float32}), KernelDtype::Mixed, SelectionReason::Mixed);
  expect(selector.select("blend", {DType::Float32}, KernelDtype::Float32), KernelDtype::Float32,
         SelectionReason::Preferred);
}

TEST(Ranked, WithoutAvailableKernelEndsInFloat32) {
  const KernelSelector selector = with(KernelPolicy::Ranked, {KernelCapability(KernelDtype::Float16, false)});
  expect(selector.select("blend", {DType::Float16}), KernelDtype::Float32, SelectionReason::Fallback);
}

} // namespace

} // namespace kernix::test
