// test/runtime/core/outputs_without_value_test.cpp - derivatives that are not given an output of f: its sizes.

#include "record.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

kernix_parameter shadow(kernix_parameter p, const char *name, int32_t of, uint32_t flags) {
  p.name = name;
  p.flags = flags;
  p.role = flags & KERNIX_GRADIENT ? KERNIX_RET : KERNIX_ARG;
  p.shadow = -1;
  p.shadow_of = of;
  p.shape = shape_like(of);
  return p;
}

kernix_parameter primal_output(kernix_parameter p, uint32_t flags) {
  p.role = KERNIX_ARG;
  p.flags = KERNIX_PRIMAL_OUTPUT | KERNIX_LAUNCH_OUTPUT | KERNIX_OPTIONAL | flags;
  return p;
}

/// f_bwd(x, x_grad, at, y, y_grad) of f(const float *x, int *at, float *y), with facts.
struct OutputWithoutValue : testing::Test {
  kernix_launch_facts facts = {7, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0}; // threadIdx.x, blockIdx.x
  Array x{{300}}, gx{{300}}, at{{600}, int32}, gy{{300}};
  Call call;
  void *seen = nullptr;
  kernix_tensor_view view_seen = {};

  std::vector<kernix_parameter> parameters(kernix_parameter at, kernix_shape shape) {
    kernix_parameter in = input("x"), out = output("y");
    in.access = KERNIX_ACCESS_IN;
    in.shadow = 1;
    out.access = KERNIX_ACCESS_OUT;
    out.shadow = 4;
    at.shape = shape;
    const uint32_t written = KERNIX_GRADIENT | KERNIX_WRITTEN | KERNIX_ZERO_INIT;
    return {in, shadow(in, "x_grad", 0, written), at, primal_output(out, 0),
            shadow(out, "y_grad", 3, KERNIX_COTANGENT)};
  }
  kernix_shape twice() { return shape({expression("x.numel() * 2", {numel(0), constant(2), op(KERNIX_OP_MULTIPLY)})}); }
  kernix_shape undeclared() {
    kernix_shape none = {};
    none.like = -1;
    return none;
  }

  std::string run(Record &record, const kernix_value &value_of_at) {
    static uint64_t hash = 5000;
    facts.record_hash = record.function.record_hash = ++hash; // facts are remembered by record
    record.function.derivative = KERNIX_BACKWARD_DERIVATIVE;
    record.function.primal = "f";
    launches.on_launch = [&](void **args) {
      if (record.parameters[2].passing == KERNIX_PASS_TENSOR_VIEW)
        std::memcpy(&view_seen, args[2], sizeof view_seen);
      else
        seen = *static_cast<void **>(args[2]);
    };
    launches.count = 0;
    const int status = call(record, {value(x), value(gx), value_of_at, none(), value(gy)});
    return status == KERNIX_OK ? "grid " + std::to_string(launches.count ? launches.grid.x : 0) : error_of(status);
  }
};

TEST_F(OutputWithoutValue, HasTheSizesThatFDeclares) {
  Record record("f_bwd", parameters(primal_output(output("at", int32), KERNIX_NEVER_NULL), twice()));
  record.function.facts = &facts;
  EXPECT_EQ(run(record, absent()), "grid 3"); // one thread per element of the first output
  EXPECT_NE(seen, nullptr);
  EXPECT_EQ(run(record, none()), "grid 3");
  EXPECT_EQ(run(record, value(at)), "grid 3");
  EXPECT_EQ(seen, at.tensor.data);
  EXPECT_TRUE(call.allocator.arrays.empty());
}

TEST_F(OutputWithoutValue, IsNullWhereTheDerivativeIsWrittenByHand) {
  Record record("f_bwd", parameters(primal_output(output("at", int32), KERNIX_NEVER_NULL), twice()));
  EXPECT_EQ(run(record, absent()), "grid 3");
  EXPECT_EQ(seen, nullptr);
}

TEST_F(OutputWithoutValue, IsAViewOfItsSizes) {
  Record record("f_bwd", parameters(primal_output(view("at", int32, 1), KERNIX_NEVER_NULL), twice()));
  record.function.facts = &facts;
  EXPECT_EQ(run(record, absent()), "grid 3");
  EXPECT_NE(view_seen.data, nullptr);
  EXPECT_EQ(view_seen.ndim, 1);
  EXPECT_EQ(view_seen.shape[0], 600);
  EXPECT_EQ(view_seen.strides[0], 1);
}

TEST_F(OutputWithoutValue, IsNeededWhereItsSizesAreAskedForAndNotDeclared) {
  Record record("f_bwd", parameters(primal_output(output("at", int32), KERNIX_NEVER_NULL), undeclared()));
  record.function.facts = &facts;
  EXPECT_EQ(run(record, absent()), "type: f_bwd: the sizes of 'at', which is not given, are not known: give it, or the "
                                   "size of the grid");
  EXPECT_EQ(run(record, value(at)), "grid 3");
  call.grid(2);
  EXPECT_EQ(run(record, absent()), "grid 2");
}

TEST_F(OutputWithoutValue, IsNeededByAnExpressionOfTheLaunch) {
  Record record("f_bwd", parameters(primal_output(output("at", int32), KERNIX_NEVER_NULL), undeclared()));
  record.function.facts = &facts;
  record.launch.grid[0] = expression("at.size(0)", {size(2, 0)});
  EXPECT_NE(run(record, absent()).find("the sizes of 'at'"), std::string::npos);
  EXPECT_EQ(run(record, value(at)), "grid 600");
}

TEST_F(OutputWithoutValue, IsAbsentWhereFTakesItAsOptional) {
  Record record("f_bwd", parameters(primal_output(output("at", int32), 0), twice()));
  record.function.facts = &facts;
  EXPECT_NE(run(record, absent()).find("the sizes of 'at'"), std::string::npos); // f may have had it nevertheless
  call.grid(2);
  EXPECT_EQ(run(record, absent()), "grid 2");
  EXPECT_EQ(seen, nullptr);
}

} // namespace

} // namespace kernix::test
