// test/runtime/lanes/xla_plan_test.cpp - calls that are remembered, against the same calls on the long way.
//
// Each call is made by the handler of a target, which has a plan, and by that of an object, which has none; both must
// see the same arguments, or give the same error, whatever was called before.

#include "xla_frame.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

std::string seen; ///< what the function was called with

std::string view_text(const void *object) {
  const auto &view = *static_cast<const kernix_tensor_view *>(object);
  std::string text = std::to_string(*static_cast<const float *>(view.data));
  for (int32_t d = 0; d < KERNIX_MAX_RANK; ++d)
    text += "," + std::to_string(view.shape[d]) + "/" + std::to_string(view.strides[d]);
  return text + "," + std::to_string(view.ndim);
}

std::string any_text(const void *object) {
  const auto &any = *static_cast<const kernix_tensor *>(object);
  std::string text = std::to_string(any.dtype.code) + ":" + std::to_string(any.dtype.bits);
  for (int32_t d = 0; d < any.ndim; ++d)
    text += "," + std::to_string(any.shape[d]) + "/" + std::to_string(any.strides[d]);
  return text + "," + std::to_string(any.device_type) + ":" + std::to_string(any.device_id);
}

template <class T> std::string number_text(const void *object) {
  return std::to_string(*static_cast<const T *>(object));
}

/// void f(View x, float a, View y, int n = 7, bool b = false, uint64_t u = 1, int rows = x.size(0), stream, half h =
/// 0.5, complex z = 1 - 2i, Tensor any, const float3 *p)
struct Function {
  Record record;

  static std::vector<kernix_parameter> parameters() {
    kernix_parameter x = view("x", float32, 2), y = view("y", float32, 2), n = attribute("n", int32);
    kernix_parameter b = attribute("b", boolean), u = attribute("u", uint64), rows = attribute("rows", int32);
    kernix_parameter stream = parameter("stream", "int64_t", KERNIX_PASS_STREAM, int64);
    y.role = KERNIX_RET;
    y.flags = KERNIX_WRITTEN | KERNIX_ZERO_INIT;
    y.shape = shape_like(0);
    n.flags = b.flags = u.flags = KERNIX_HAS_DEFAULT;
    n.default_integer = 7;
    u.default_integer = 1;
    rows.value = expression("x.size(0)", {size(0, 0)});
    stream.role = KERNIX_STREAM;
    kernix_parameter h = attribute("h", float16), z = attribute("z", complex64);
    h.flags = z.flags = KERNIX_HAS_DEFAULT;
    h.default_real[0] = 0.5;
    z.default_real[0] = 1, z.default_real[1] = -2;
    kernix_parameter any = parameter("any", "kernix::Tensor", KERNIX_PASS_TENSOR, no_dtype), p = input("p");
    p.element_ndim = 1;
    p.element_shape[0] = 3;
    return {x, attribute("a", float32), y, n, b, u, rows, stream, h, z, any, p};
  }

  Function() : record("f(x, a, y, n, b, u, rows, stream)", parameters(), KERNIX_HOST_FUNCTION) {
    static kernix_cuda_api cuda = recording_cuda();
    cuda.memset_async = [](void *data, int value, size_t bytes, void *) { return std::memset(data, value, bytes), 0; };
    record.function.cuda = &cuda;
    record.function.thunk = [](void *const *args, void *) {
      seen = view_text(args[0]) + " " + number_text<float>(args[1]) + " " + view_text(args[2]) + " " +
             number_text<int32_t>(args[3]) + " " + number_text<bool>(args[4]) + " " + number_text<uint64_t>(args[5]) +
             " " + number_text<int32_t>(args[6]) + " " + number_text<int64_t>(args[7]) + " " +
             number_text<uint16_t>(args[8]) + " " + number_text<float>(args[9]) + "," +
             number_text<float>(static_cast<const float *>(args[9]) + 1) + " " + any_text(args[10]) + " " +
             std::to_string((*static_cast<float *const *>(args[11]))[2]);
      *static_cast<float *>(static_cast<const kernix_tensor_view *>(args[2])->data) = 5;
      if (*static_cast<float *>(args[1]) < 0)
        throw std::runtime_error("negative");
    };
  }
};

/// What a call is made of. Fields are changed one at a time.
struct Given {
  std::vector<int64_t> x_shape = {2, 3}, y_shape = {2, 3};
  int32_t x_type = xla::type_f32, y_type = xla::type_f32;
  size_t x_offset = 0;
  bool x_is_null = false;
  int operands = 1, results = 1;
  bool y_is_x = false;
  float a = 0.5f;
  int32_t a_type = xla::type_f32;
  const char *a_name = "a";
  int n = -1; ///< -1: not given
  int b = -1, u = -1;
  int32_t u_type = xla::type_u64;
  int rows = -1;
  const char *more = nullptr;
  int h = -1, z = -100;
  int32_t h_type = xla::type_u16, z_type = xla::type_f32;
  std::vector<int64_t> any_shape = {4}, p_shape = {2, 3};
  int32_t any_type = xla::type_s16;
};

std::string outcome(const Given &given, const kernix_handler_for_xla handler, Operation *of_object) {
  alignas(64) static char x[256], y[256];
  std::fill_n(reinterpret_cast<float *>(x), 64, 2.0f);
  std::fill_n(reinterpret_cast<float *>(y), 64, 3.0f);
  Frame frame;
  for (int k = 0; k < given.operands; ++k)
    frame.operands.push_back(frame.add(given.x_is_null ? nullptr : x + given.x_offset, given.x_shape, given.x_type));
  frame.operands.push_back(frame.add(x, given.any_shape, given.any_type));
  frame.operands.push_back(frame.add(x, given.p_shape));
  for (int k = 0; k < given.results; ++k)
    frame.results.push_back(frame.add(given.y_is_x ? x : y, given.y_shape, given.y_type));
  if (given.a_name)
    frame.set(given.a_name, given.a_type, given.a);
  if (given.b >= 0)
    frame.set("b", xla::type_pred, static_cast<uint8_t>(given.b));
  if (given.h >= 0)
    frame.set("h", given.h_type, static_cast<uint16_t>(given.h));
  if (given.more)
    frame.set(given.more, xla::type_s32, int32_t{1});
  if (given.n >= 0)
    frame.set("n", xla::type_s32, int32_t{given.n});
  if (given.rows >= 0)
    frame.set("rows", xla::type_s32, int32_t{given.rows});
  if (given.u >= 0)
    frame.set("u", given.u_type, static_cast<uint64_t>(given.u));
  const std::vector<float> parts(given.z == 3 ? 3u : 2u, static_cast<float>(given.z));
  if (given.z != -100)
    frame.set("z", given.z_type, parts);
  seen = "not called";
  const bool is_right = of_object ? frame.run(of_object->of_object()) : frame.run(handler);
  return is_right ? seen + ", then " + std::to_string(*reinterpret_cast<float *>(y + 4)) : message + "; " + seen;
}

std::vector<Given> calls() {
  std::vector<Given> all;
  const auto add = [&](auto change) {
    Given given;
    change(given);
    all.push_back(given);
  };
  add([](Given &) {});
  add([](Given &g) { g.x_shape = g.y_shape = {3, 1}; });
  add([](Given &g) { g.x_shape = {3, 2}; });
  add([](Given &g) { g.y_shape = {2, 4}; });
  add([](Given &g) { g.y_shape = {6}; });
  add([](Given &g) { g.x_shape = g.y_shape = {6}; });
  add([](Given &g) { g.x_shape = g.y_shape = {0, 3}; });
  add([](Given &g) { g.x_type = xla::type_f64; });
  add([](Given &g) { g.x_type = xla::type_s32; });
  add([](Given &g) { g.x_type = 30; }); // one that kernix has not
  add([](Given &g) { g.y_type = xla::type_bf16; });
  add([](Given &g) { g.x_offset = 8; });
  add([](Given &g) { g.x_offset = 2; });
  add([](Given &g) { g.x_is_null = true; });
  add([](Given &g) { g.operands = 2; });
  add([](Given &g) { g.operands = 0; });
  add([](Given &g) { g.results = 2; });
  add([](Given &g) { g.a = 1.5f; });
  add([](Given &g) { g.a = -1; });
  add([](Given &g) { g.a_type = xla::type_s32; });
  add([](Given &g) { g.a_name = nullptr; });
  add([](Given &g) { g.a_name = "aa"; });
  add([](Given &g) { g.n = 9; });
  add([](Given &g) { g.n = 0; });
  add([](Given &g) { g.b = 1; });
  add([](Given &g) { g.b = 2; });
  add([](Given &g) { g.u = 4; });
  add([](Given &g) { g.u = 4, g.u_type = xla::type_s64; });
  add([](Given &g) { g.u = 4, g.u_type = xla::type_s32; });
  add([](Given &g) { g.rows = 2; });
  add([](Given &g) { g.rows = 3; });
  add([](Given &g) { g.more = "k"; });
  add([](Given &g) { g.h = 0x3c00; });
  add([](Given &g) { g.y_is_x = true; }); // which begins with what x holds
  add([](Given &g) { g.h = 0xc000; });
  add([](Given &g) { g.h = 1, g.h_type = xla::type_f16; });
  add([](Given &g) { g.z = 2; });
  add([](Given &g) { g.z = -2; });
  add([](Given &g) { g.z = 3; });
  add([](Given &g) { g.z = 2, g.z_type = xla::type_s32; });
  add([](Given &g) { g.any_type = xla::type_bf16; });
  add([](Given &g) { g.any_type = 30; });
  add([](Given &g) { g.any_shape = {2, 2}; });
  add([](Given &g) { g.any_shape = {}; });
  add([](Given &g) { g.any_shape = {1, 1, 1, 1, 1, 1, 1, 1, 1}; });
  add([](Given &g) { g.p_shape = {3}; });
  add([](Given &g) { g.p_shape = {3, 2}; });
  add([](Given &g) { g.p_shape = {}; });
  add([](Given &g) { g.more = "kernix.variant"; });
  add([](Given &g) { g.n = 9, g.b = 1, g.u = 3; });
  return all;
}

TEST(XlaPlan, DoesWhatTheLongWayDoes) {
  Function function;
  Operation operation({&function.record.function});
  const kernix_handler_for_xla handler = operation.of_target("plan");
  const std::vector<Given> all = calls();
  std::vector<std::string> expected;
  expected.reserve(all.size());
  for (const Given &given : all)
    expected.push_back(outcome(given, nullptr, &operation));
  EXPECT_EQ(expected[0],
            "2.000000,2/3,3/1,0/0,0/0,0/0,0/0,0/0,0/0,2 0.500000 0.000000,2/3,3/1,0/0,0/0,0/0,0/0,0/0,0/0,2 "
            "7 0 1 2 0 14336 1.000000,-2.000000 0:16,4/1,1:0 2.000000, then 0.000000");
  // Each after each, so that it meets what the other left behind, and again after itself.
  for (size_t before = 0; before < all.size(); ++before)
    for (size_t k = 0; k < all.size(); ++k) {
      outcome(all[before], handler, nullptr);
      EXPECT_EQ(outcome(all[k], handler, nullptr), expected[k]) << "call " << k << " after " << before;
      EXPECT_EQ(outcome(all[k], handler, nullptr), expected[k]) << "call " << k << " after " << before << " and itself";
    }
}

TEST(XlaPlan, Kernels) {
  kernix_parameter y = output("y"), n = attribute("n", int32);
  y.shape = shape_like(0);
  n.value = expression("x.numel()", {numel(0)});
  Record record("f(const float *x, float *y, int n)", {input("x"), y, n});
  static void *pointers[2];
  static int number;
  launches.on_launch = [](void **args) {
    std::memcpy(&pointers[0], args[0], sizeof(void *));
    std::memcpy(&pointers[1], args[1], sizeof(void *));
    std::memcpy(&number, args[2], sizeof number);
  };
  Operation operation({&record.function});
  const kernix_handler_for_xla handler = operation.of_target("kernel");
  Array x({100, 10}), other({100, 10});
  for (int64_t rows : {1, 100, 1, 100, 100}) {
    for (Array *result : {&x, &other}) {
      Frame frame;
      frame.operands = {frame.add(x.data<void>(), {rows, 10})};
      frame.results = {frame.add(result->data<void>(), {rows, 10})};
      launches.count = 0;
      ASSERT_TRUE(frame.run(handler)) << message;
      EXPECT_EQ(launches.count, 1);
      EXPECT_EQ(launches.grid.x, static_cast<uint32_t>((rows * 10 + 255) / 256));
      EXPECT_EQ(launches.block.x, 256u);
      EXPECT_EQ(number, rows * 10);
      EXPECT_EQ(pointers[0], x.tensor.data);
      EXPECT_EQ(pointers[1], result->tensor.data);
    }
  }
  launches.result = 9;
  Frame frame;
  frame.operands = {frame.add(x.data<void>(), {1, 10})};
  frame.results = {frame.add(other.data<void>(), {1, 10})};
  EXPECT_FALSE(frame.run(handler));
  EXPECT_EQ(message, "f(const float *x, float *y, int n): launch failed: too many resources requested (error 9)");
}

TEST(XlaPlan, ReadAndWrittenArraysAreOne) {
  kernix_parameter y = output("y");
  y.intent = KERNIX_INTENT_INOUT_PTR;
  Record record("f(float *y)", {y});
  Operation operation({&record.function});
  const kernix_handler_for_xla handler = operation.of_target("inout");
  Array a({4}), b({4});
  for (Array *result : {&a, &b, &a}) {
    Frame frame;
    frame.operands = {frame.add(a.data<void>(), {4})};
    frame.results = {frame.add(result->data<void>(), {4})};
    EXPECT_EQ(frame.run(handler), result == &a);
  }
  EXPECT_EQ(message, "f(float *y): 'y' is read and written, so that its operand and its result must be one array; call "
                     "with input_output_aliases={0: 0}");
  EXPECT_EQ(launches.count, 2);
}

TEST(XlaPlan, VariantsByTheirNumber) {
  static int called;
  Record one("f(const float *x, float *y)", {input("x"), output("y")}, KERNIX_HOST_FUNCTION);
  Record two("f(const float *x, float *y)", {input("x"), output("y")}, KERNIX_HOST_FUNCTION);
  one.function.thunk = [](void *const *, void *) { called = 1; };
  two.function.thunk = [](void *const *, void *) { called = 2; };
  Operation operation({&one.function, &two.function});
  const kernix_handler_for_xla handler = operation.of_target("variants");
  Array x({4}), y({4});
  for (int64_t variant : {0, 1, 1, 0, 2}) {
    Frame frame;
    frame.operands = {frame.add(x.data<void>(), {4})};
    frame.results = {frame.add(y.data<void>(), {4})};
    frame.set("kernix.variant", xla::type_s64, variant);
    called = 0;
    EXPECT_EQ(frame.run(handler), variant < 2) << message;
    EXPECT_EQ(called, variant < 2 ? variant + 1 : 0);
  }
  EXPECT_EQ(message, "f: there is no variant 2");
}

TEST(XlaPlan, CallsFromWithinACall) {
  static kernix_handler_for_xla handler;
  static int depth;
  static std::vector<float> numbers;
  Record record("f(const float *x, float *y)", {input("x"), output("y")}, KERNIX_HOST_FUNCTION);
  static float memory[3];
  static Frame frames[3];
  record.function.thunk = [](void *const *args, void *) {
    if (depth < 2)
      frames[++depth].run(handler);
    numbers.push_back(**static_cast<float *const *>(args[0]));
  };
  Operation operation({&record.function});
  handler = operation.of_target("nested");
  static Array y({1});
  for (int k = 0; k < 3; ++k) {
    memory[k] = static_cast<float>(k);
    frames[k].operands = {frames[k].add(&memory[k], {1})};
    frames[k].results = {frames[k].add(y.data<void>(), {1})};
  }
  EXPECT_TRUE(frames[0].run(handler));
  EXPECT_EQ(numbers, (std::vector<float>{2, 1, 0}));
}

} // namespace

} // namespace kernix::test
