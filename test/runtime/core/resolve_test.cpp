// test/runtime/core/resolve_test.cpp - computed values, declared shapes, kernix_output_shape.

#include "record.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

kernix_parameter computed(const char *name, kernix_dtype dtype, kernix_expression expression) {
  kernix_parameter p = attribute(name, dtype);
  p.value = expression;
  return p;
}
kernix_parameter shaped(kernix_parameter p, kernix_shape shape) { return p.shape = shape, p; }

/// f(const float *x, float *y [shape of x], int n = x.numel())
Record map() {
  return {"f(const float *x, float *y, int n)",
          {input("x"), shaped(output("y"), shape_like(0)), computed("n", int32, expression("x.numel()", {numel(0)}))}};
}

TEST(Resolve, ValueIsComputed) {
  const Record record = map();
  int32_t n = 0;
  launches.on_launch = [&](void **args) { n = *static_cast<int32_t *>(args[2]); };
  Array x({3, 4}), y({3, 4});
  EXPECT_EQ(error_of(record, {value(x), value(y), absent()}), "ok");
  EXPECT_EQ(n, 12);
  EXPECT_EQ(error_of(record, {value(x), value(y), integer(12)}), "ok");
}

TEST(Resolve, GivenValueMustAgree) {
  Array x({3, 4}), y({3, 4});
  EXPECT_EQ(
      error_of(map(), {value(x), value(y), integer(13)}),
      "value: f(const float *x, float *y, int n): argument 'n': expected 12, the value of `x.numel()` (x.numel() = "
      "12), got int 13");
}

TEST(Resolve, ComputedValueMustFit) {
  Record record("f(const float *x, float *y, signed char n)",
                {input("x"), output("y"), computed("n", int8, expression("x.numel()", {numel(0)}))});
  Array x({200}), y({200});
  EXPECT_EQ(error_of(record, {value(x), value(y), absent()}),
            "value: f(const float *x, float *y, signed char n): value of 'n': expected int8 (-128 to 127), got "
            "`x.numel()` (x.numel() = 200) = 200");
}

TEST(Resolve, ValuesAndShapesInAnyOrder) {
  // y depends on m, which depends on n, which depends on x: declared backwards.
  Record record("f(float *y, int m, int n, const float *x)",
                {shaped(output("y"), shape({expression("m", {scalar(1)}), expression("2", {constant(2)})})),
                 computed("m", int32, expression("n + 1", {scalar(2), constant(1), op(KERNIX_OP_ADD)})),
                 computed("n", int64, expression("x.size(0)", {size(3, 0)})), input("x")});
  std::pair<int, int64_t> seen;
  launches.on_launch = [&](void **args) { seen = {*static_cast<int *>(args[1]), *static_cast<int64_t *>(args[2])}; };
  Array x({5});
  Call call;
  EXPECT_EQ(error_of(call(record, {absent(), absent(), absent(), value(x)})), "ok");
  EXPECT_EQ(seen, std::pair(6, int64_t{5}));
  EXPECT_EQ(call.allocator.arrays.at(0).shape, (std::vector<int64_t>{6, 2}));
}

TEST(Resolve, ACycleIsReported) {
  Record record("f(float *y, int m, int n)", {output("y"), computed("m", int32, expression("n", {scalar(2)})),
                                              computed("n", int32, expression("m", {scalar(1)}))});
  Array y({1});
  EXPECT_EQ(error_of(record, {value(y), absent(), absent()}),
            "runtime: f(float *y, int m, int n): 'm' depends on itself");
}

TEST(Resolve, DeclaredShapesOfInputsAndOutputsAreChecked) {
  Record record("f(const float *x, const float *w, float *y)",
                {input("x"),
                 shaped(input("w"), shape({expression("x.size(1)", {size(0, 1)}), expression("2", {constant(2)})})),
                 shaped(output("y"), shape_like(0))});
  Array x({3, 4}), w({4, 2}), wrong({2, 4}), y({3, 4}), flat({12});
  EXPECT_EQ(error_of(record, {value(x), value(w), value(y)}), "ok");
  EXPECT_EQ(
      error_of(record, {value(x), value(wrong), value(y)}),
      "value: f(const float *x, const float *w, float *y): argument 'w': expected shape (4, 2), `x.size(1)`, `2`, "
      "got (2, 4)");
  EXPECT_EQ(error_of(record, {value(x), value(w), value(flat)}),
            "value: f(const float *x, const float *w, float *y): argument 'y': expected shape (3, 4), that of 'x', got "
            "(12,)");
}

TEST(Resolve, BadShapes) {
  auto record_of = [](kernix_expression axis) {
    return Record("f(const float *x, float *y)", {input("x"), shaped(output("y"), shape({axis}))});
  };
  Array x({3});
  EXPECT_EQ(
      error_of(record_of(expression("x.size(0) - 5", {size(0, 0), constant(5), op(KERNIX_OP_SUBTRACT)})),
               {value(x), absent()}),
      "value: f(const float *x, float *y): shape of 'y', axis 0: `x.size(0) - 5` (x.size(0) = 3) is negative: -2");
  EXPECT_EQ(error_of(record_of(expression("x.size(2)", {size(0, 2)})), {value(x), absent()}),
            "value: f(const float *x, float *y): x.size(2): 'x' has shape (3,)");
  EXPECT_EQ(error_of(record_of(expression("1 << 62", {constant(int64_t{1} << 62)})), {value(x), absent()}),
            "value: f(const float *x, float *y): shape of 'y': (4611686018427387904,) is too large");
  EXPECT_EQ(
      error_of(record_of(expression("x.size(0) / 0", {size(0, 0), constant(0), op(KERNIX_OP_DIVIDE)})),
               {value(x), absent()}),
      "value: f(const float *x, float *y): shape of 'y', axis 0: `x.size(0) / 0` (x.size(0) = 3): division by zero");
}

TEST(Resolve, RankOfAViewAndOfItsShapeMustAgree) {
  kernix_parameter y = view("y", float32, 2);
  y.flags = KERNIX_WRITTEN;
  y.role = KERNIX_RET;
  Record record("f(const float *x, kernix::TensorView<float> y)", {input("x"), shaped(y, shape_like(0))});
  EXPECT_EQ(error_of(record, {value(Array({3})), absent()}),
            "value: f(const float *x, kernix::TensorView<float> y): shape of 'y': expected rank 2, got shape (3,)");
}

TEST(Resolve, NegativeAxesCountFromTheEnd) {
  Record record("f(const float *x, int n)", {input("x"), computed("n", int32, expression("x.size(-1)", {size(0, -1)}))},
                KERNIX_HOST_FUNCTION);
  static int32_t n;
  record.function.thunk = [](void *const *args, void *) { n = *static_cast<int32_t *>(args[1]); };
  EXPECT_EQ(error_of(record, {value(Array({3, 7})), absent()}), "ok");
  EXPECT_EQ(n, 7);
}

TEST(Resolve, AbsentOptionalTensorsHaveSizeZero) {
  kernix_parameter bias = input("bias");
  bias.flags |= KERNIX_OPTIONAL;
  Record record("f(const float *bias, float *y, int n)",
                {bias, output("y"), computed("n", int32, expression("bias.size(0)", {size(0, 0)}))});
  launches.on_launch = [](void **args) {
    EXPECT_EQ(*static_cast<void **>(args[0]), nullptr);
    EXPECT_EQ(*static_cast<int32_t *>(args[2]), 0);
  };
  Array y({3});
  EXPECT_EQ(error_of(record, {none(), value(y), absent()}), "ok");
  EXPECT_EQ(error_of(record, {absent(), value(y), absent()}), "ok");
  EXPECT_EQ(launches.count, 2);
}

TEST(Resolve, ShapeOfAnAbsentOptionalTensor) {
  kernix_parameter bias = input("bias");
  bias.flags |= KERNIX_OPTIONAL;
  Record record("f(const float *bias, float *y)", {bias, shaped(output("y"), shape_like(0))});
  EXPECT_EQ(error_of(record, {none(), absent()}),
            "value: f(const float *bias, float *y): shape of 'y': it is that of 'bias', which is not given");
}

TEST(Resolve, LargeUnsignedInExpressions) {
  Record record("f(unsigned long u, float *y)",
                {attribute("u", uint64), shaped(output("y"), shape({expression("u", {scalar(0)})}))});
  EXPECT_EQ(error_of(record, {unsigned_integer(UINT64_MAX), absent()}),
            "value: f(unsigned long u, float *y): argument 'u': expected an integer below 2**63 (it is used in an "
            "expression), got int 18446744073709551615");
}

TEST(Resolve, VectorAxesDoNotCount) {
  kernix_parameter x = input("x");
  x.element_ndim = 1;
  x.element_shape[0] = 4;
  kernix_parameter y = output("y");
  y.element_ndim = 1;
  y.element_shape[0] = 2;
  Record record("f(const float4 *x, float2 *y, int n)",
                {x, shaped(y, shape_like(0)), computed("n", int32, expression("x.numel()", {numel(0)}))});
  int32_t n = 0;
  launches.on_launch = [&](void **args) { n = *static_cast<int32_t *>(args[2]); };
  Call call;
  EXPECT_EQ(error_of(call(record, {value(Array({5, 4})), absent(), absent()})), "ok");
  EXPECT_EQ(n, 5);
  EXPECT_EQ(call.allocator.arrays.at(0).shape, (std::vector<int64_t>{5, 2}));
  EXPECT_EQ(
      error_of(record, {value(Array({5, 4})), value(Array({4, 2})), absent()}),
      "value: f(const float4 *x, float2 *y, int n): argument 'y': expected shape (5, 2), that of 'x', got (4, 2)");
}

std::string shape_text(const Record &record, const std::vector<kernix_value> &values, int32_t parameter) {
  int64_t shape[KERNIX_MAX_RANK];
  int32_t ndim = -1;
  const int status = kernix_output_shape(&record.function, values.data(), static_cast<int32_t>(values.size()),
                                         parameter, shape, &ndim);
  if (status != KERNIX_OK)
    return error_of(status);
  std::string text;
  for (int32_t d = 0; d < ndim; ++d)
    text += (d ? "x" : "") + std::to_string(shape[d]);
  return text;
}

TEST(OutputShape, NeedsNoData) {
  Array fake({3, 4});
  fake.tensor.data = nullptr;
  fake.on(KERNIX_CUDA, 3);
  EXPECT_EQ(shape_text(map(), {value(fake), absent(), absent()}, 1), "3x4");
}

TEST(OutputShape, NeedsOnlyWhatItDependsOn) {
  Record record("f(const float *x, const float *w, float *y)",
                {input("x"), input("w"), shaped(output("y"), shape({expression("x.size(0)", {size(0, 0)})}))});
  EXPECT_EQ(shape_text(record, {value(Array({3})), absent(), absent()}, 2), "3");
  EXPECT_EQ(shape_text(record, {absent(), absent(), absent()}, 2),
            "type: f(const float *x, const float *w, float *y): argument 'x' is missing");
}

TEST(OutputShape, Refusals) {
  const Record record = map();
  EXPECT_EQ(shape_text(record, {value(Array({3})), absent(), absent()}, 0),
            "type: f(const float *x, float *y, int n): argument 'x' has no shape attribute");
  EXPECT_EQ(shape_text(record, {value(Array({3})), absent(), absent()}, 7),
            "value: f(const float *x, float *y, int n): no parameter 7");
  EXPECT_EQ(shape_text(record, {value(Array({3}, float64)), absent(), absent()}, 1),
            "type: f(const float *x, float *y, int n): argument 'x': expected a tensor of float32, got one of float64");
}

} // namespace

} // namespace kernix::test
