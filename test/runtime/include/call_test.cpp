// test/runtime/include/call_test.cpp - kernix/call.h: calls from C++.

#include "kernix/call.h"

#include "../core/record.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

static_assert(!std::is_constructible_v<Value, float *>, "a bare pointer says nothing of its size");

template <class F> std::string thrown(F f) {
  try {
    f();
  } catch (const KernelError &error) {
    return std::to_string(error.status()) + ": " + error.what();
  }
  return "none";
}

/// One module of one operation.
struct Loaded {
  const kernix_function *functions[1];
  kernix_module_info info;
  kernix::Module module;

  explicit Loaded(Record &record)
      : functions{&record.function}, info{KERNIX_ABI_VERSION, KERNIX_TARGET_CPU, "test", functions, functions + 1},
        module(info) {}
};

kernix_parameter shaped(kernix_parameter p, kernix_shape shape) { return p.shape = shape, p; }

TEST(CppCall, KernelWithAllocatedOutput) {
  Record record("f(const float *x, float *y, float a)",
                {input("x"), shaped(output("y"), shape_like(0)), attribute("a", float32)});
  Loaded loaded(record);
  launches.on_launch = [](void **args) {
    for (int i = 0; i < 6; ++i)
      (*static_cast<float **>(args[1]))[i] =
          (*static_cast<const float **>(args[0]))[i] * *static_cast<float *>(args[2]);
  };
  const float x[6] = {0, 1, 2, 3, 4, 5};
  const Results results = loaded.module["f"](kernix::array(x, {2, 3}), kernix::absent, 2.0);
  ASSERT_EQ(results.size(), 1);
  EXPECT_EQ(results.tensor().size(1), 3);
  EXPECT_EQ(results.tensor().data_ptr<float>()[5], 10);
  EXPECT_EQ(launches.block.x, 256u);
  float y[6];
  EXPECT_EQ(loaded.module["f"](kernix::array(x, {2, 3}), kernix::array(y, {2, 3}), 3).tensor().data(), y);
  EXPECT_EQ(y[2], 6);
}

TEST(CppCall, LaunchSizes) {
  Record record("f(float *y)", {output("y")});
  Loaded loaded(record);
  float y[10];
  Launch launch;
  launch.block[0] = 32;
  launch.grid[0] = 2;
  launch.shared_bytes = 64;
  int stream;
  launch.stream = &stream;
  loaded.module["f"].with(launch)(kernix::array(y, {10}));
  EXPECT_EQ(launches.block.x, 32u);
  EXPECT_EQ(launches.grid.x, 2u);
  EXPECT_EQ(launches.shared_bytes, 64u);
  EXPECT_EQ(launches.stream, &stream);
}

TEST(CppCall, ScalarsAndResults) {
  kernix_parameter r = parameter("r", "double &", KERNIX_PASS_REFERENCE, float64);
  r.intent = KERNIX_INTENT_OUT_RETURN;
  Record record("int f(unsigned long u, bool b, std::complex<float> z, const char *s, double &r)",
                {attribute("u", uint64), attribute("b", boolean), attribute("z", complex64),
                 parameter("s", "const char *", KERNIX_PASS_C_STRING, no_dtype), r},
                KERNIX_HOST_FUNCTION);
  record.function.result = attribute("", int32);
  record.function.thunk = [](void *const *args, void *result) {
    EXPECT_EQ(*static_cast<uint64_t *>(args[0]), UINT64_MAX);
    EXPECT_TRUE(*static_cast<bool *>(args[1]));
    EXPECT_EQ(*static_cast<std::complex<float> *>(args[2]), std::complex<float>(1, 2));
    EXPECT_STREQ(*static_cast<const char **>(args[3]), "text");
    *static_cast<int *>(result) = -3;
    *static_cast<double *>(args[4]) = 0.5;
  };
  Loaded loaded(record);
  const Results results = loaded.module["f"](UINT64_MAX, true, std::complex<double>(1, 2), std::string("text"));
  EXPECT_EQ(results.size(), 2);
  EXPECT_EQ(results.get<int>(), -3);
  EXPECT_EQ(results.get<double>(1), 0.5);
  EXPECT_EQ(thrown([&] { results.get<double>(0); }), "2: Results: result 0 is of type int");
  EXPECT_EQ(thrown([&] { results.tensor(0); }), "2: Results: result 0 is no tensor");
  EXPECT_EQ(thrown([&] { results.get<int>(2); }), "3: Results: there are 2, asked for 2");
}

TEST(CppCall, Errors) {
  Record record("f(float *y)", {output("y")});
  Loaded loaded(record);
  const float constant[3] = {};
  EXPECT_EQ(
      thrown([&] { loaded.module["f"](kernix::array(constant, {3})); }),
      "3: f(float *y): argument 'y': expected a writable tensor (the function writes to it), got a read-only one");
  EXPECT_EQ(thrown([&] { loaded.module["f"](1, 2); }), "2: f(float *y): expected at most 1 arguments, got 2");
  EXPECT_EQ(thrown([&] { loaded.module["f"](); }), "2: f(float *y): argument 'y' is missing");
  EXPECT_EQ(thrown([&] { loaded.module["g"](); }), "5: no operation 'g'; there are: f");
}

TEST(CppCall, Files) {
  EXPECT_NE(thrown([] { kernix::Module("/nonexistent.so"); }).find("cannot load /nonexistent.so"), std::string::npos);
  EXPECT_EQ(thrown([] { kernix::Module("libm.so.6"); }), "3: libm.so.6 was not compiled with kernix");
}

} // namespace

} // namespace kernix::test
