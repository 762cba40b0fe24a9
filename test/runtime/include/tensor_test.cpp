// test/runtime/include/tensor_test.cpp - kernix/tensor.h.

#include "kernix/tensor.h"

#include "error_of.h"

#include <gtest/gtest.h>
#include <type_traits>

namespace kernix {

namespace {

static_assert(std::is_trivially_copyable_v<Tensor> && std::is_standard_layout_v<Tensor>);
static_assert(alignof(Tensor) == alignof(kernix_tensor));

struct TensorTest : testing::Test {
  float data[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3};
  Tensor tensor{data, DType::Float32, shape, 2};
};

TEST_F(TensorTest, Geometry) {
  EXPECT_EQ(tensor.ndim(), 2);
  EXPECT_EQ(tensor.size(1), 3);
  EXPECT_EQ(tensor.shape(0), 2);
  EXPECT_EQ(tensor.size(-1), 3);
  EXPECT_EQ(tensor.stride(0), 3);
  EXPECT_EQ(tensor.shape_ptr()[1], 3);
  EXPECT_EQ(tensor.strides_ptr()[1], 1);
  EXPECT_EQ(tensor.numel(), 6);
  EXPECT_EQ(tensor.nbytes(), 24u);
  EXPECT_EQ(tensor.element_size(), 4u);
  EXPECT_EQ(tensor.dtype(), DType::Float32);
  EXPECT_FALSE(tensor.is_cuda());
  EXPECT_EQ(error_of([&] { (void)tensor.size(2); }), "3: Tensor: axis 2 of a tensor of rank 2");
  EXPECT_EQ(error_of([&] { (void)tensor.stride(-3); }), "3: Tensor: axis -3 of a tensor of rank 2");
}

TEST_F(TensorTest, CountThatIsAnInt) {
  EXPECT_EQ(tensor.numel_checked_int(), 6);
  const int64_t large[] = {1 << 16, 1 << 15};
  EXPECT_EQ(error_of([&] { (void)Tensor(data, DType::Int8, large, 2).numel_checked_int(); }),
            "3: Tensor: 2147483648 elements are more than an int can count");
}

TEST_F(TensorTest, OrderOfBrainevent) {
  const Tensor other(data, shape, 2, DType::Float32);
  EXPECT_EQ(other.numel(), tensor.numel());
  EXPECT_EQ(other.stride(0), tensor.stride(0));
  EXPECT_EQ(other.dtype(), DType::Float32);
}

TEST_F(TensorTest, ScalarsHaveOneElement) { EXPECT_EQ(Tensor(data, DType::Float32, nullptr, 0).numel(), 1); }

TEST_F(TensorTest, Data) {
  const Tensor &constant = tensor;
  EXPECT_EQ(constant.data_ptr(), data);
  EXPECT_EQ(constant.data(), data);
  EXPECT_EQ(constant.data_ptr<float>()[5], 5);
  EXPECT_EQ(constant.data_ptr<const float>()[4], 4);
  EXPECT_EQ(error_of([&] { (void)tensor.data_ptr<double>(); }),
            "2: Tensor: expected a tensor of float64, got one of float32");
  EXPECT_EQ(error_of([&] { (void)tensor.data_ptr<unsigned>(); }),
            "2: Tensor: expected a tensor of uint32, got one of float32");
}

TEST_F(TensorTest, BitsOfSmallTypes) {
  EXPECT_EQ(Tensor(data, DType::Float16, shape, 2).data_ptr<uint16_t>(), static_cast<void *>(data));
  EXPECT_EQ(Tensor(data, DType::BFloat16, shape, 2).data_ptr<const uint16_t>(), static_cast<void *>(data));
  EXPECT_EQ(Tensor(data, DType::Bool, shape, 2).data_ptr<uint8_t>(), static_cast<void *>(data));
  EXPECT_EQ(Tensor(data, DType::Bool, shape, 2).data_ptr<int8_t>(), static_cast<void *>(data));
  EXPECT_EQ(Tensor(data, DType::Int16, shape, 2).data_ptr<uint16_t>(), static_cast<void *>(data));
  EXPECT_EQ(Tensor(data, DType::UInt64, shape, 2).data_ptr<const int64_t>(), static_cast<void *>(data));
  EXPECT_EQ(Tensor(data, DType::Complex64, shape, 2).data_ptr<void>(), static_cast<void *>(data));
  EXPECT_EQ(Tensor(data, DType::Complex64, shape, 2).data_ptr<const void>(), static_cast<void *>(data));
  EXPECT_NE(error_of([&] { (void)Tensor(data, DType::Float32, shape, 2).data_ptr<int32_t>(); }), "none");
  EXPECT_NE(error_of([&] { (void)Tensor(data, DType::Int32, shape, 2).data_ptr<uint16_t>(); }), "none");
  EXPECT_NE(error_of([&] { (void)Tensor(data, DType::Float16, shape, 2).data_ptr<bool>(); }), "none");
}

TEST_F(TensorTest, Contiguity) {
  EXPECT_TRUE(tensor.is_contiguous());
  tensor.raw().strides[0] = 4;
  EXPECT_FALSE(tensor.is_contiguous());
  tensor.raw().shape[0] = 1;
  EXPECT_TRUE(tensor.is_contiguous());
  tensor.raw().shape[0] = 0;
  tensor.raw().strides[1] = 7;
  EXPECT_TRUE(tensor.is_contiguous());
}

TEST_F(TensorTest, RankLimit) {
  const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(error_of([&] { Tensor(data, DType::Float32, nine, 9); }), "3: Tensor: expected a rank from 0 to 8, got 9");
}

} // namespace

} // namespace kernix
