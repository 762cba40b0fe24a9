// test/runtime/selector/select_test.cpp - the choice of a kernel: preferred dtype, dtype of an input, Float32.

#include "kernix/kernel_selector.h"

#include <gtest/gtest.h>
#include <vector>

namespace kernix::test {

namespace {

KernelSelector with(std::initializer_list<KernelDtype> dtypes) {
  KernelSelector selector("cuda:0");
  for (KernelDtype dtype : dtypes)
    selector.register_kernel_capability("blend", KernelCapability(dtype));
  return selector;
}

void expect(const KernelSelection &selection, KernelDtype dtype, SelectionReason reason) {
  EXPECT_EQ(selection.dtype, dtype);
  EXPECT_EQ(selection.reason, reason);
}

TEST(Select, PreferredDtypeIfItIsAvailable) {
  const KernelSelector selector = with({KernelDtype::Float32, KernelDtype::BFloat16, KernelDtype::Mixed});
  expect(selector.select("blend", {DType::Float32}, KernelDtype::BFloat16), KernelDtype::BFloat16,
         SelectionReason::Preferred);
  expect(selector.select("blend", {}, KernelDtype::BFloat16), KernelDtype::BFloat16, SelectionReason::Preferred);
  expect(selector.select("blend", {DType::Float32}, KernelDtype::Mixed), KernelDtype::Mixed,
         SelectionReason::Preferred);
  EXPECT_EQ(selector.select_best_kernel("blend", {DType::Float32}, KernelDtype::BFloat16), KernelDtype::BFloat16);
}

TEST(Select, PreferredDtypeThatIsNotAvailableDoesNotCount) {
  KernelSelector selector = with({KernelDtype::Float32, KernelDtype::Float16});
  expect(selector.select("blend", {DType::Float16}, KernelDtype::BFloat16), KernelDtype::Float16,
         SelectionReason::Input);
  selector.register_kernel_capability("blend", KernelCapability(KernelDtype::BFloat16, false));
  expect(selector.select("blend", {DType::Float16}, KernelDtype::BFloat16), KernelDtype::Float16,
         SelectionReason::Input);
}

TEST(Select, AutoIsNoPreference) {
  const KernelSelector selector = with({KernelDtype::Float32, KernelDtype::Float16});
  expect(selector.select("blend", {DType::Float16}, KernelDtype::Auto), KernelDtype::Float16, SelectionReason::Input);
}

TEST(Select, FirstInputDtypeThatIsAvailable) {
  const KernelSelector selector = with({KernelDtype::Float32, KernelDtype::Float16});
  expect(selector.select("blend", {DType::BFloat16, DType::Float16, DType::Float32}), KernelDtype::Float16,
         SelectionReason::Input);
  expect(selector.select("blend", {DType::Float32, DType::Float16}), KernelDtype::Float32, SelectionReason::Input);
  // Integers count as Float32, as in the list of dtypes.
  expect(selector.select("blend", {DType::Int64, DType::Float16}), KernelDtype::Float32, SelectionReason::Input);
  expect(selector.select("blend", {DType::Float64}), KernelDtype::Float32, SelectionReason::Input);
}

TEST(Select, Float32InTheEnd) {
  const KernelSelector selector = with({KernelDtype::Float16});
  expect(selector.select("blend", {DType::BFloat16}), KernelDtype::Float32, SelectionReason::Fallback);
  expect(selector.select("blend", {}), KernelDtype::Float32, SelectionReason::Fallback);
  expect(selector.select("unknown", {DType::Float16}, KernelDtype::Float16), KernelDtype::Float32,
         SelectionReason::Fallback);
}

TEST(Select, MixedOnlyIfItIsRegistered) {
  KernelSelector selector = with({KernelDtype::Float32, KernelDtype::Float16});
  expect(selector.select("blend", {DType::Float16, DType::Float32}), KernelDtype::Float16, SelectionReason::Input);
  selector.register_kernel_capability("blend", KernelCapability(KernelDtype::Mixed));
  expect(selector.select("blend", {DType::Float16, DType::Float32}), KernelDtype::Mixed, SelectionReason::Mixed);
  expect(selector.select("blend", {DType::Float16, DType::Float32}, KernelDtype::Float16), KernelDtype::Float16,
         SelectionReason::Preferred);
  // Indices do not make floats mixed.
  expect(selector.select("blend", {DType::Float16, DType::Int64}), KernelDtype::Float16, SelectionReason::Input);
  expect(selector.select("blend", {DType::Float16, DType::Float16}), KernelDtype::Float16, SelectionReason::Input);
}

TEST(Select, NameWithAnEndingHasThatDtypeOnly) {
  const KernelSelector selector = with({KernelDtype::Float32, KernelDtype::Float16});
  expect(selector.select("blend_fp16", {DType::Float16}), KernelDtype::Float16, SelectionReason::Input);
  expect(selector.select("blend_fp16", {DType::Float32}), KernelDtype::Float32, SelectionReason::Fallback);
}

TEST(Select, ManyInputs) {
  const KernelSelector selector = with({KernelDtype::Float16});
  std::vector<DType> dtypes(40, DType::BFloat16);
  dtypes.back() = DType::Float16;
  expect(selector.select("blend", dtypes), KernelDtype::Float16, SelectionReason::Input);
}

} // namespace

} // namespace kernix::test
