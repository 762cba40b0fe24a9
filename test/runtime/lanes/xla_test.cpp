// test/runtime/lanes/xla_test.cpp - handlers: what the real jaxlib cannot show.
//
// Calls themselves are tested by test/python/test_jax.py.

#include "xla_frame.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

TEST(Xla, ScratchMemoryIsReleasedByEachElementOfABatch) {
  kernix_parameter y = output("y"), z = output("z");
  y.shape = z.shape = shape_like(0);
  Record record("f(const float *x, float *y, float *z)", {input("x"), y, z});
  record.function.flags |= KERNIX_FOR_CUDA;
  scratch = {};
  Array x({5, 3}), first({5, 3});
  Operation operation({&record.function});
  Frame frame;
  frame.operands = {frame.add(x.data<void>(), {5, 3})};
  frame.results = {frame.add(first.data<void>(), {5, 3})};
  frame.set("kernix.batch", {5, 1});
  frame.set("kernix.operands", {0});
  frame.set("kernix.results", {1}); // of z nothing is wanted
  EXPECT_TRUE(frame.run(operation.of_object())) << message;
  EXPECT_EQ(launches.count, 5);
  EXPECT_EQ(scratch.total, 5);
  EXPECT_EQ(scratch.most, 1);
  EXPECT_EQ(scratch.live, 0);
}

} // namespace

} // namespace kernix::test
