// test/runtime/include/tensor_view_test.cpp - kernix/tensor_view.h, with bounds checks.

#define KERNIX_CHECK_BOUNDS
#include "kernix/tensor_view.h"

#include "error_of.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <type_traits>

namespace kernix {

namespace {

static_assert(std::is_trivially_copyable_v<TensorView<float>> && std::is_standard_layout_v<TensorView<float>>);
static_assert(offsetof(TensorView<float>, data_) == offsetof(kernix_tensor_view, data));
static_assert(offsetof(TensorView<float>, shape) == offsetof(kernix_tensor_view, shape));
static_assert(offsetof(TensorView<float>, strides) == offsetof(kernix_tensor_view, strides));
static_assert(offsetof(TensorView<float>, rank_) == offsetof(kernix_tensor_view, ndim));
static_assert(std::is_same_v<decltype(TensorView<const float>()(0)), const float &>,
              "const elements cannot be written");
static_assert(std::is_same_v<decltype(std::declval<const TensorView<float>>()(0)), float &>,
              "a view is like a pointer");
static_assert(!std::is_convertible_v<TensorView<const float>, TensorView<float>>);

struct alignas(16) Float4 {
  float x, y, z, w;
};

struct View : testing::Test {
  float data[24];
  TensorView<float> view = TensorView<float>::contiguous(data, 2, 3, 4);
  void SetUp() override {
    for (int i = 0; i < 24; ++i)
      data[i] = static_cast<float>(i);
  }
};

TEST_F(View, Geometry) {
  EXPECT_EQ(view.rank(), 3);
  EXPECT_EQ(view.size(1), 3);
  EXPECT_EQ(view.shape[2], 4);
  EXPECT_EQ(view.stride(0), 12);
  EXPECT_EQ(view.numel(), 24);
  EXPECT_EQ(view.data(), data);
  EXPECT_EQ(TensorView<float>().numel(), 1);
}

TEST_F(View, Access) {
  EXPECT_EQ(view(1, 2, 3), 23);
  EXPECT_EQ(view(1u, int64_t{0}, short{2}), 14);
  view(0, 1, 2) = 100;
  EXPECT_EQ(data[6], 100);
  const TensorView<const float> constant = view;
  EXPECT_EQ(constant(0, 1, 2), 100);
  const auto line = TensorView<float>::contiguous(data, 24);
  EXPECT_EQ(line[23], 23);
  EXPECT_EQ(TensorView<float>::contiguous(data)(), 0);
}

TEST_F(View, StridesMayBeAnything) {
  view.strides[0] = -12;
  view.data_ = data + 12;
  EXPECT_EQ(view(1, 0, 0), 0);
  view.strides[2] = 0;
  EXPECT_EQ(view(0, 1, 3), 16);
}

TEST_F(View, Bounds) {
  EXPECT_EQ(error_of([&] { view(2, 0, 0); }), "3: TensorView: index 2 is out of bounds for axis 0 of size 2");
  EXPECT_EQ(error_of([&] { view(0, -1, 0); }), "3: TensorView: index -1 is out of bounds for axis 1 of size 3");
  EXPECT_EQ(error_of([&] { view(0, 0, 4u); }), "3: TensorView: index 4 is out of bounds for axis 2 of size 4");
  EXPECT_EQ(error_of([&] { view(0); }), "3: TensorView: 1 indices for a view of rank 3");
  EXPECT_EQ(error_of([&] { view[0]; }), "3: TensorView: 1 indices for a view of rank 3");
}

TEST_F(View, FromTensor) {
  const int64_t shape[2] = {6, 4};
  Tensor tensor(data, DType::Float32, shape, 2);
  tensor.raw().strides[0] = 8;
  tensor.raw().shape[0] = 3;
  const auto view = TensorView<const float>::from_tensor(tensor);
  EXPECT_EQ(view.rank(), 2);
  EXPECT_EQ(view(2, 1), 17);
  EXPECT_EQ(error_of([&] { TensorView<double>::from_tensor(tensor); }),
            "2: TensorView: expected a tensor of float64, got one of float32");
}

TEST_F(View, FromTensorOfVectors) {
  alignas(16) float aligned[24] = {};
  aligned[9] = 7;
  const int64_t shape[2] = {6, 4};
  Tensor tensor(aligned, DType::Float32, shape, 2);
  const auto view = TensorView<Float4>::from_tensor(tensor);
  EXPECT_EQ(view.rank(), 1);
  EXPECT_EQ(view.stride(0), 1);
  EXPECT_EQ(view[2].y, 7);
  tensor.raw().data = aligned + 1;
  EXPECT_EQ(error_of([&] { TensorView<Float4>::from_tensor(tensor); }),
            "3: TensorView: expected data aligned to 16 bytes");
  tensor.raw().data = aligned;
  tensor.raw().strides[0] = 6;
  EXPECT_EQ(error_of([&] { TensorView<Float4>::from_tensor(tensor); }),
            "3: TensorView: the stride of axis 0 is no multiple of 4");
  tensor.raw().shape[1] = 3;
  EXPECT_EQ(error_of([&] { TensorView<Float4>::from_tensor(tensor); }),
            "3: TensorView: expected a last axis of 4 adjacent values");
}

} // namespace

} // namespace kernix
