// test/runtime/core/select_test.cpp - choice of a variant by the dtypes of the arguments.

#include "record.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

struct Operation {
  std::vector<const kernix_function *> functions;
  kernix_operation operation = {};

  explicit Operation(std::vector<const kernix_function *> list) : functions(std::move(list)) {
    operation = {"f", static_cast<int32_t>(functions.size()), functions.data(), nullptr};
  }
  std::string choose(const std::vector<kernix_value> &values) const {
    const kernix_function *function = nullptr;
    const int status = kernix_select(&operation, values.data(), static_cast<int32_t>(values.size()), &function);
    return status == KERNIX_OK ? function->signature : error_of(status);
  }
};

struct Select : testing::Test {
  Record f32{"f(const float *x, float a)", {input("x"), attribute("a", float32)}},
      f64{"f(const double *x, double a)", {input("x", float64), attribute("a", float64)}};
  Operation operation{{&f32.function, &f64.function}};
  Array x32{{4}}, x64{{4}, float64}, x16{{4}, float16};
};

TEST_F(Select, ByDtype) {
  EXPECT_EQ(operation.choose({value(x32), real(1)}), "f(const float *x, float a)");
  EXPECT_EQ(operation.choose({value(x64), integer(1)}), "f(const double *x, double a)");
}

TEST_F(Select, NoneFits) {
  EXPECT_EQ(operation.choose({value(x16), real(1)}),
            "type: f: no variant takes these arguments (x: a tensor of float16, a: float 1.0):\n"
            "  f(const float *x, float a) with x: float32, a: float32\n"
            "  f(const double *x, double a) with x: float64, a: float64");
  EXPECT_EQ(operation.choose({value(x32), string("a")}).substr(0, 81),
            "type: f: no variant takes these arguments (x: a tensor of float32, a: str 'a'):\n ");
}

TEST_F(Select, OnlyTheRankIsWrong) {
  Record matrix32("f(m32)", {view("x", float32, 2)}), matrix64("f(m64)", {view("x", float64, 2)}),
      vector64("f(v64)", {view("x", float64, 1)});
  Array cube{{2, 3, 4}, float64};
  // kernix_call says what is wrong.
  EXPECT_EQ(Operation({&matrix32.function, &matrix64.function}).choose({value(cube)}), "f(m64)");
  EXPECT_EQ(Operation({&matrix32.function, &matrix64.function, &vector64.function}).choose({value(cube)}),
            "type: f: no variant takes these arguments (x: a tensor of float64 and shape (2, 3, 4)):\n"
            "  f(m32) with x: float32 of rank 2\n"
            "  f(m64) with x: float64 of rank 2\n"
            "  f(v64) with x: float64 of rank 1");
}

TEST_F(Select, Ambiguous) {
  EXPECT_EQ(operation.choose({absent(), real(1)}), "type: f: several variants take these arguments (a: float 1.0):\n"
                                                   "  f(const float *x, float a) with x: float32, a: float32\n"
                                                   "  f(const double *x, double a) with x: float64, a: float64");
}

TEST_F(Select, WrongCount) { EXPECT_EQ(operation.choose({}), "type: f: expected 2 arguments, got 0"); }

TEST_F(Select, ScalarsPreferTheirOwnKind) {
  Record of_int("f(int n)", {attribute("n", int32)}), of_float("f(float n)", {attribute("n", float32)}),
      of_long("f(long n)", {attribute("n", int64)});
  Operation two({&of_float.function, &of_int.function});
  EXPECT_EQ(two.choose({integer(3)}), "f(int n)");
  EXPECT_EQ(two.choose({real(3)}), "f(float n)");
  Operation three({&of_float.function, &of_int.function, &of_long.function});
  EXPECT_EQ(three.choose({integer(3)}), "f(long n)");
  EXPECT_EQ(three.choose({integer(5000000000)}), "f(long n)"); // the only one that can hold it
}

TEST_F(Select, ScalarsAreTakenByTheWidest) {
  Record of_half("f(half a)", {attribute("a", float16)}), of_bfloat("f(bfloat a)", {attribute("a", bfloat16)}),
      of_float("f(float a)", {attribute("a", float32)}), of_double("f(double a)", {attribute("a", float64)});
  const std::vector<const kernix_function *> all = {&of_half.function, &of_double.function, &of_bfloat.function,
                                                    &of_float.function};
  EXPECT_EQ(Operation(all).choose({real(1.5)}), "f(double a)");
  EXPECT_EQ(Operation({&of_float.function, &of_half.function}).choose({real(1.5)}), "f(float a)");
  EXPECT_EQ(Operation({&of_bfloat.function, &of_float.function}).choose({integer(2)}), "f(float a)");
  EXPECT_EQ(Operation({&of_half.function, &of_bfloat.function}).choose({real(1.5)}).substr(0, 50),
            "type: f: several variants take these arguments (a:");
  Record of_int("f(int n)", {attribute("n", int32)}), of_unsigned("f(unsigned long n)", {attribute("n", uint64)});
  EXPECT_EQ(Operation({&of_int.function, &of_unsigned.function}).choose({integer(3)}).substr(0, 50),
            "type: f: several variants take these arguments (n:");
  // Neither is wider in both.
  Record one("f(float a, double b)", {attribute("a", float32), attribute("b", float64)}),
      two("f(double a, float b)", {attribute("a", float64), attribute("b", float32)}),
      both("f(double a, double b)", {attribute("a", float64), attribute("b", float64)});
  EXPECT_EQ(Operation({&one.function, &two.function}).choose({real(1), real(1)}).substr(0, 50),
            "type: f: several variants take these arguments (a:");
  EXPECT_EQ(Operation({&one.function, &two.function, &both.function}).choose({real(1), real(1)}),
            "f(double a, double b)");
}

TEST_F(Select, ByRankOfViews) {
  Record one("f(TensorView<const float> x) [1]", {view("x", float32, 1)}),
      two("f(TensorView<const float> x) [2]", {view("x", float32, 2)});
  Operation views({&one.function, &two.function});
  EXPECT_EQ(views.choose({value(Array({2, 2}))}), "f(TensorView<const float> x) [2]");
}

TEST_F(Select, OneFunctionIsNotChecked) {
  // kernix_call's message about the one function says more.
  Operation one({&f32.function});
  EXPECT_EQ(one.choose({value(x64), real(1)}), "f(const float *x, float a)");
}

} // namespace

} // namespace kernix::test
