// test/runtime/core/allocation_test.cpp - nothing is allocated on the good path: counts malloc and operator new.

#include "record.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {
thread_local volatile long allocations = 0; // volatile: the compiler knows that malloc changes no variable
}

// malloc stands below operator new, so counting it counts both.
extern "C" void *malloc(size_t size) {
  using Malloc = void *(*)(size_t);
  static const Malloc next = reinterpret_cast<Malloc>(dlsym(RTLD_NEXT, "malloc"));
  allocations = allocations + 1;
  return next(size);
}

namespace kernix::test {

namespace {

TEST(Allocation, TheHookCounts) {
  const long before = allocations;
  std::string text(1000, 'a');
  EXPECT_GT(allocations, before) << text;
}

TEST(Allocation, KernelCallsAllocateNothing) {
  kernix_parameter y = output("y");
  y.shape = shape_like(0);
  kernix_parameter n = attribute("n", int32);
  n.value = expression("x.numel()", {numel(0)});
  Record record("f(const float *x, kernix::TensorView<const float> w, float *y, float a, int n)",
                {input("x"), view("w", float32, 2), y, attribute("a", float32), n});
  record.launch.grid[0] = expression("ceil_div(n, block.x)", {scalar(4), block(0), op(KERNIX_OP_CEIL_DIV)});
  Array x({100}), w({3, 4}, float32, {1, 3}), z({100});
  const std::vector<kernix_value> values = {value(x), value(w), value(z), real(2), absent()};
  const kernix_function *function = &record.function;
  kernix_operation operation = {"f", 1, &function, nullptr};
  Call call;
  kernix_output outputs[6];
  const long before = allocations;
  for (int i = 0; i < 10; ++i) {
    int32_t count;
    const kernix_function *chosen;
    ASSERT_EQ(kernix_select(&operation, values.data(), 5, &chosen), KERNIX_OK);
    ASSERT_EQ(kernix_call(chosen, values.data(), 5, &call.options, call.storage, outputs, &count), KERNIX_OK);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(launches.count, 10);
}

TEST(Allocation, SelectionAllocatesNothing) {
  Record f32("f(const float *x)", {input("x")}), f64("f(const double *x)", {input("x", float64)});
  const kernix_function *functions[] = {&f32.function, &f64.function};
  kernix_operation operation = {"f", 2, functions, nullptr};
  Array x({3}, float64);
  const kernix_value given = value(x);
  const kernix_function *chosen;
  const long before = allocations;
  ASSERT_EQ(kernix_select(&operation, &given, 1, &chosen), KERNIX_OK);
  EXPECT_EQ(allocations, before);
}

} // namespace

} // namespace kernix::test
