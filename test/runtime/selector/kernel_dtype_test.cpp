// test/runtime/selector/kernel_dtype_test.cpp - the kernel dtype of tensors and of operations.

#include "errors.h"
#include "kernix/kernel_selector.h"

#include <gtest/gtest.h>
#include <vector>

namespace kernix::test {

namespace {

const DType all_dtypes[] = {DType::Int8,    DType::Int16,    DType::Int32,     DType::Int64,      DType::UInt8,
                            DType::UInt16,  DType::UInt32,   DType::UInt64,    DType::Float16,    DType::Float32,
                            DType::Float64, DType::BFloat16, DType::Complex64, DType::Complex128, DType::Bool};

Tensor tensor(DType dtype) {
  static const int64_t shape[] = {2};
  return Tensor(nullptr, dtype, shape, 1);
}

KernelDtype expected(DType dtype) {
  if (dtype == DType::Float16)
    return KernelDtype::Float16;
  return dtype == DType::BFloat16 ? KernelDtype::BFloat16 : KernelDtype::Float32;
}

TEST(KernelDtype, HasTheSeedsNumbers) {
  EXPECT_EQ(static_cast<int>(KernelDtype::Float32), 0);
  EXPECT_EQ(static_cast<int>(KernelDtype::Float16), 1);
  EXPECT_EQ(static_cast<int>(KernelDtype::BFloat16), 2);
  EXPECT_EQ(static_cast<int>(KernelDtype::Mixed), 3);
  EXPECT_EQ(static_cast<int>(KernelDtype::Auto), 4);
  EXPECT_STREQ(to_string(KernelDtype::BFloat16), "BFloat16");
}

TEST(KernelDtype, OfATensorOfEachDtype) {
  const KernelSelector selector("cpu");
  for (DType dtype : all_dtypes)
    EXPECT_EQ(selector.get_kernel_dtype(tensor(dtype)), expected(dtype)) << dtype_name(dtype);
}

TEST(KernelDtype, OfNoTensorsIsFloat32) {
  EXPECT_EQ(KernelSelector("cpu").get_kernel_dtype(std::initializer_list<Tensor>{}), KernelDtype::Float32);
}

TEST(KernelDtype, OfEqualTensorsIsTheirs) {
  const KernelSelector selector("cuda:1");
  for (DType dtype : all_dtypes)
    EXPECT_EQ(selector.get_kernel_dtype({tensor(dtype), tensor(dtype), tensor(dtype)}), expected(dtype));
}

TEST(KernelDtype, OfDifferentTensorsIsMixed) {
  const KernelSelector selector("cpu");
  EXPECT_EQ(selector.get_kernel_dtype({tensor(DType::Float16), tensor(DType::Float32)}), KernelDtype::Mixed);
  EXPECT_EQ(selector.get_kernel_dtype({tensor(DType::Float16), tensor(DType::Float16), tensor(DType::BFloat16)}),
            KernelDtype::Mixed);
  // Also of dtypes that map to one.
  EXPECT_EQ(selector.get_kernel_dtype({tensor(DType::Float64), tensor(DType::Float32)}), KernelDtype::Mixed);
  EXPECT_EQ(selector.get_kernel_dtype({tensor(DType::Int32), tensor(DType::Float32)}), KernelDtype::Mixed);
}

TEST(KernelDtype, OfAnOperationIsThatOfItsInputsIfRegistered) {
  KernelSelector selector("cpu");
  selector.register_kernel_capability("blend", KernelCapability::create_float32());
  selector.register_kernel_capability("blend", KernelCapability::create_float16());
  EXPECT_EQ(selector.get_kernel_dtype("blend", {DType::Float16, DType::Float16}), KernelDtype::Float16);
  EXPECT_EQ(selector.get_kernel_dtype("blend", {DType::BFloat16}), KernelDtype::Float32);
  // Mixed inputs and no kernel for them: the best one.
  EXPECT_EQ(selector.get_kernel_dtype("blend", {DType::BFloat16, DType::Float16}), KernelDtype::Float16);
  selector.register_kernel_capability("blend", KernelCapability(KernelDtype::Mixed));
  EXPECT_EQ(selector.get_kernel_dtype("blend", {DType::BFloat16, DType::Float16}), KernelDtype::Mixed);
  EXPECT_EQ(selector.get_kernel_dtype("blend", {}), KernelDtype::Float32);
  EXPECT_EQ(selector.get_kernel_dtype("unknown", {DType::Float16}), KernelDtype::Float32);
}

TEST(KernelDtype, UnknownDtypesAreErrors) {
  const KernelSelector selector("cpu");
  Tensor odd = tensor(DType::Float32);
  odd.raw().dtype = {17, 8, 1};
  EXPECT_EQ(value_error([&] { (void)selector.get_kernel_dtype(odd); }),
            "input dtypes: there is no dtype of code 17 with 8 bits and 1 lanes (input 0)");
  EXPECT_NE(value_error([&] { (void)selector.get_kernel_dtype("blend", {DType::Float16, DType::Invalid}); }), "");
}

TEST(KernelDtype, DevicesByName) {
  EXPECT_EQ(Device("cuda"), Device("cuda:0"));
  EXPECT_NE(Device("cuda"), Device("cpu"));
  EXPECT_EQ(Device("cuda:12").index(), 12);
  EXPECT_EQ(KernelSelector("cuda:3").device().to_string(), "cuda:3");
  EXPECT_EQ(KernelSelector("cpu").device().to_string(), "cpu");
  for (const char *wrong : {"", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "cpu:0", "CUDA", "cuda:99999999999"})
    EXPECT_EQ(value_error([&] { KernelSelector{wrong}; }),
              std::string("device: expected 'cpu', 'cuda' or 'cuda:N', got '") + wrong + "'");
}

} // namespace

} // namespace kernix::test
