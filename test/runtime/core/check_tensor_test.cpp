// test/runtime/core/check_tensor_test.cpp - every check of a given tensor, with its message.

#include "record.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

/// One input `x`, one output `y`, both raw pointers.
Record pointers() { return {"f(const float *x, float *y)", {input("x"), output("y")}}; }

std::string with_x(const Record &record, const Array &x) {
  Array y({4});
  return error_of(record, {value(x), value(y)});
}

TEST(CheckTensor, Dtype) {
  EXPECT_EQ(with_x(pointers(), Array({4}, float64)),
            "type: f(const float *x, float *y): argument 'x': expected a tensor of float32, got one of float64");
  Array vector({4});
  vector.tensor.dtype.lanes = 4;
  EXPECT_EQ(with_x(pointers(), vector),
            "type: f(const float *x, float *y): argument 'x': expected a tensor of float32, got one of float32x4");
}

TEST(CheckTensor, AnyDtypeStillHasOneLane) {
  kernix_parameter any = parameter("t", "kernix::Tensor", KERNIX_PASS_TENSOR, no_dtype);
  Record record("f(kernix::Tensor t, float *y)", {any, output("y")});
  EXPECT_EQ(with_x(record, Array({4}, int8)), "ok");
  Array vector({4});
  vector.tensor.dtype.lanes = 2;
  EXPECT_EQ(with_x(record, vector),
            "type: f(kernix::Tensor t, float *y): argument 't': expected a tensor, got one of float32x2");
}

TEST(CheckTensor, Kind) {
  Array y({4});
  const Record record = pointers();
  const std::string start = "type: f(const float *x, float *y): argument 'x': expected a tensor of float32, got ";
  EXPECT_EQ(error_of(record, {integer(3), value(y)}), start + "int 3");
  EXPECT_EQ(error_of(record, {none(), value(y)}), start + "None");
  EXPECT_EQ(error_of(record, {object("dict"), value(y)}), start + "an object of type 'dict'");
  EXPECT_EQ(error_of(record, {string("hello"), value(y)}), start + "str 'hello'");
}

TEST(CheckTensor, Missing) {
  Array x({4});
  EXPECT_EQ(error_of(pointers(), {absent(), value(x)}), "type: f(const float *x, float *y): argument 'x' is missing");
  EXPECT_EQ(error_of(pointers(), {value(x), absent()}), "type: f(const float *x, float *y): argument 'y' is missing");
}

TEST(CheckTensor, Rank) {
  Record record("f(kernix::TensorView<const float> x, float *y)", {view("x", float32, 2), output("y")});
  EXPECT_EQ(with_x(record, Array({2, 3})), "ok");
  EXPECT_EQ(with_x(record, Array({2, 3, 4})), "value: f(kernix::TensorView<const float> x, float *y): argument 'x': "
                                              "expected a tensor of rank 2, got rank 3, shape (2, 3, 4)");
  EXPECT_EQ(with_x(pointers(), Array({1, 1, 1, 1, 1, 1, 1, 1})), "ok");
  EXPECT_EQ(with_x(pointers(), Array({1, 1, 1, 1, 1, 1, 1, 1, 2})),
            "value: f(const float *x, float *y): argument 'x': expected at most 8 axes, got 9 of shape "
            "(1, 1, 1, 1, 1, 1, 1, 1, 2)");
}

Record of_float4(kernix_passing passing) {
  kernix_parameter x = parameter("x", "const float4 *", passing, float32);
  x.element_ndim = 1;
  x.element_shape[0] = 4;
  x.element_alignment = 16;
  return {"f(const float4 *x, float *y)", {x, output("y")}};
}

TEST(CheckTensor, ElementAxes) {
  const Record record = of_float4(KERNIX_PASS_POINTER);
  EXPECT_EQ(with_x(record, Array({5, 4})), "ok");
  EXPECT_EQ(with_x(record, Array({4})), "ok");
  EXPECT_EQ(with_x(record, Array({4, 5})), "value: f(const float4 *x, float *y): argument 'x': expected a shape that "
                                           "ends in (4,) (one element of const float4 *), got (4, 5)");
  EXPECT_EQ(with_x(record, Array({})), "value: f(const float4 *x, float *y): argument 'x': expected a tensor of rank 1 "
                                       "or more (one element is (4,)), got rank 0, shape ()");
}

TEST(CheckTensor, ElementAlignment) {
  const Record record = of_float4(KERNIX_PASS_POINTER);
  Array x({5, 4});
  x.tensor.byte_offset = 16;
  EXPECT_EQ(with_x(record, x), "ok");
  x.tensor.byte_offset = 4;
  const std::string error = with_x(record, x);
  EXPECT_TRUE(error.starts_with("value: f(const float4 *x, float *y): argument 'x': expected data aligned to 16 bytes "
                                "(const float4 *), got address 0x"))
      << error;
  Array misplaced({3}, float32); // plain elements need the alignment of their type
  misplaced.tensor.byte_offset = 2;
  EXPECT_NE(with_x(pointers(), misplaced).find("expected data aligned to 4 bytes"), std::string::npos);
}

TEST(CheckTensor, ElementsOfViewsMustBeAdjacent) {
  const Record record = of_float4(KERNIX_PASS_TENSOR_VIEW);
  EXPECT_EQ(with_x(record, Array({5, 4}, float32, {8, 1})), "ok");
  const std::string start = "value: f(const float4 *x, float *y): argument 'x': expected elements of 4 adjacent values "
                            "(const float4 *), got shape (5, 4) with strides ";
  EXPECT_EQ(with_x(record, Array({5, 4}, float32, {1, 5})), start + "(1, 5)");
  EXPECT_EQ(with_x(record, Array({5, 4}, float32, {6, 1})), start + "(6, 1)");
}

TEST(CheckTensor, RawPointersNeedContiguousTensors) {
  EXPECT_EQ(with_x(pointers(), Array({2, 3}, float32, {3, 1})), "ok");
  EXPECT_EQ(with_x(pointers(), Array({2, 1}, float32, {1, 77})), "ok"); // the stride of a single element says nothing
  EXPECT_EQ(with_x(pointers(), Array({2, 0}, float32, {5, 5})), "ok");  // nothing to reach
  const std::string start =
      "value: f(const float *x, float *y): argument 'x': expected a contiguous tensor (const float * has no strides), "
      "got shape ";
  EXPECT_EQ(with_x(pointers(), Array({2, 3}, float32, {1, 2})), start + "(2, 3) with strides (1, 2)");
  EXPECT_EQ(with_x(pointers(), Array({4}, float32, {-1})), start + "(4,) with strides (-1,)");
  EXPECT_EQ(with_x(pointers(), Array({4}, float32, {0})), start + "(4,) with strides (0,)");
}

TEST(CheckTensor, NullData) {
  Array x({4});
  x.tensor.data = nullptr;
  EXPECT_EQ(with_x(pointers(), x), "value: f(const float *x, float *y): argument 'x': expected a tensor with data, got "
                                   "a null pointer for shape (4,)");
  Array empty({0, 4});
  ASSERT_EQ(empty.tensor.data, nullptr);
  EXPECT_EQ(with_x(pointers(), empty), "ok");
}

TEST(CheckTensor, ReadOnly) {
  Array x({4}), y({4});
  EXPECT_EQ(error_of(pointers(), {read_only(x), value(y)}), "ok");
  EXPECT_EQ(error_of(pointers(), {value(x), read_only(y)}),
            "value: f(const float *x, float *y): argument 'y': expected a writable tensor (the function writes to it), "
            "got a read-only one");
}

TEST(CheckTensor, CpuModulesTakeCpuTensors) {
  EXPECT_EQ(with_x(pointers(), Array({4}).on(KERNIX_CUDA_HOST, 0)), "ok");
  EXPECT_EQ(
      with_x(pointers(), Array({4}).on(KERNIX_CUDA, 1)),
      "value: f(const float *x, float *y): argument 'x': expected a tensor on the CPU (the module is compiled for "
      "it), got one on cuda:1");
  EXPECT_EQ(
      with_x(pointers(), Array({4}).on(KERNIX_CUDA_MANAGED, 0)),
      "value: f(const float *x, float *y): argument 'x': expected a tensor on the CPU (the module is compiled for "
      "it), got one on cuda:0 (managed)");
  EXPECT_EQ(
      with_x(pointers(), Array({4}).on(7, 2)),
      "value: f(const float *x, float *y): argument 'x': expected a tensor on the CPU (the module is compiled for "
      "it), got one on device type 7:2");
}

TEST(CheckTensor, CudaModulesTakeTensorsOfOneDevice) {
  Record record("f(const float *x, float *y)", {input("x"), output("y")});
  record.function.flags |= KERNIX_FOR_CUDA;
  Array x({4}), y({4});
  x.on(KERNIX_CUDA, 1);
  EXPECT_EQ(error_of(record, {value(x), value(y)}), "value: f(const float *x, float *y): argument 'y': expected a CUDA "
                                                    "tensor (the module is compiled for CUDA), got one on cpu");
  y.on(KERNIX_CUDA, 0);
  EXPECT_EQ(error_of(record, {value(x), value(y)}), "value: f(const float *x, float *y): argument 'y': expected a "
                                                    "tensor on cuda:1 like 'x', got one on cuda:0");
  EXPECT_EQ(launches.count, 0);
  y.on(KERNIX_CUDA_MANAGED, 1);
  EXPECT_EQ(error_of(record, {value(x), value(y)}), "ok");
  EXPECT_EQ(launches.device_at_launch, 1);
  EXPECT_EQ(launches.device, 0) << "the caller's device comes back";
}

} // namespace

} // namespace kernix::test
