// test/runtime/core/launch_test.cpp - launch sizes: whose wins, defaults, limits, empty launches, shared memory.

#include "record.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

std::string sizes() {
  const auto text = [](kernix_dim3 d) {
    return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
  };
  return text(launches.grid) + " x " + text(launches.block) + " + " + std::to_string(launches.shared_bytes);
}

/// f(const float *x, float *y), both given with `n` elements.
struct Launch : testing::Test {
  Record record{"f(const float *x, float *y)", {input("x"), output("y")}};
  Call call;

  void SetUp() override { launches = {}; }
  std::string run(int64_t n, int64_t inputs = 1) {
    Array x({inputs}), y({n});
    launches.count = 0;
    const int status = call(record, {value(x), value(y)});
    return status == KERNIX_OK ? (launches.count ? sizes() : "no launch") : error_of(status);
  }
};

TEST_F(Launch, DefaultIsOneThreadPerElementOfTheFirstOutput) {
  EXPECT_EQ(run(1), "1,1,1 x 256,1,1 + 0");
  EXPECT_EQ(run(256), "1,1,1 x 256,1,1 + 0");
  EXPECT_EQ(run(257), "2,1,1 x 256,1,1 + 0");
}

TEST_F(Launch, CallWinsOverAttributesOverDefaults) {
  record.launch.block[0] = expression("128", {constant(128)});
  EXPECT_EQ(run(1000), "8,1,1 x 128,1,1 + 0");
  record.launch.grid[0] = expression("ceil_div(y.numel(), block.x * 2)",
                                     {numel(1), block(0), constant(2), op(KERNIX_OP_MULTIPLY), op(KERNIX_OP_CEIL_DIV)});
  EXPECT_EQ(run(1000), "4,1,1 x 128,1,1 + 0");
  call.block(64);
  EXPECT_EQ(run(1000), "8,1,1 x 64,1,1 + 0");
  call.grid(3, 2);
  EXPECT_EQ(run(1000), "3,2,1 x 64,1,1 + 0");
}

TEST_F(Launch, NoDefaultWhereThreadsShareAnElementOfTheOutput) {
  record.function.flags |= KERNIX_SHARED_OUTPUT;
  EXPECT_EQ(run(1, 1000),
            "type: f(const float *x, float *y): no grid size: several threads may write one element of 'y', "
            "whose size therefore does not say how many threads there are, so give `grid=` in the call, "
            "or annotate it with [[kernix::grid(...)]]");
  call.grid(4);
  EXPECT_EQ(run(1, 1000), "4,1,1 x 256,1,1 + 0");
}

TEST_F(Launch, DefaultOfOneThreadForKernelsThatLookAtNone) {
  record.function.flags |= KERNIX_SINGLE_THREAD | KERNIX_IGNORES_BLOCKS;
  EXPECT_EQ(run(1000), "1,1,1 x 1,1,1 + 0");
  EXPECT_EQ(run(0), "no launch");
  call.block(64);
  EXPECT_EQ(run(1000), "1,1,1 x 64,1,1 + 0");
}

TEST_F(Launch, NoDefaultOfSeveralBlocksThatDoTheSame) {
  record.function.flags |= KERNIX_IGNORES_BLOCKS;
  EXPECT_EQ(run(256), "1,1,1 x 256,1,1 + 0");
  EXPECT_EQ(run(257), "type: f(const float *x, float *y): no grid size: the kernel does not look at blockIdx, and the "
                      "257 elements of 'y' are more than the 256 threads of a block, so give `grid=` in the call, or "
                      "annotate it with [[kernix::grid(...)]]");
  call.grid(2);
  EXPECT_EQ(run(257), "2,1,1 x 256,1,1 + 0");
}

TEST_F(Launch, NoDefaultForKernelsThatUseMoreThanX) {
  record.function.flags = 0;
  EXPECT_EQ(run(10), "type: f(const float *x, float *y): no block size: the kernel uses more than threadIdx.x and its "
                     "kind, or may do so in code under #if __CUDA_ARCH__ or in a call (through a pointer, of a virtual "
                     "function or one that is defined elsewhere, of kernix::bwd_diff), so give `block=` (and `grid=`) "
                     "in the call, or annotate it with [[kernix::block(...)]]");
  call.block(16, 16);
  EXPECT_EQ(run(10), "type: f(const float *x, float *y): no grid size: there is a default only for kernels and blocks "
                     "that use nothing but x, so give `grid=` in the call, or annotate it with [[kernix::grid(...)]]");
  call.grid(1);
  EXPECT_EQ(run(10), "1,1,1 x 16,16,1 + 0");
}

TEST_F(Launch, NoDefaultGridForBlocksWithMoreThanX) {
  call.block(16, 2); // each element would be computed twice
  EXPECT_NE(run(10).find("no grid size"), std::string::npos);
}

TEST_F(Launch, NoDefaultGridWithoutAnOutput) {
  Record inputs("f(const float *x)", {input("x")});
  EXPECT_EQ(error_of(inputs, {value(Array({3}))}),
            "type: f(const float *x): no grid size: the kernel has no output to take it from, so give `grid=` in the "
            "call, or annotate it with [[kernix::grid(...)]]");
}

TEST_F(Launch, BlockLimits) {
  const std::string start = "value: f(const float *x, float *y): ";
  call.block(0);
  EXPECT_EQ(run(10), start + "block.x: expected 1 to 1024, got 0");
  call.block(1025);
  EXPECT_EQ(run(10), start + "block.x: expected 1 to 1024, got 1025");
  call.block(1, -1);
  EXPECT_EQ(run(10), start + "block.y: expected 1 to 1024, got -1");
  call.block(1, 1, 65);
  EXPECT_EQ(run(10), start + "block.z: expected 1 to 64, got 65");
  call.block(64, 32, 1);
  EXPECT_EQ(run(10), start + "block: expected at most 1024 threads, got 64 x 32 x 1 = 2048");
}

TEST_F(Launch, GridLimits) {
  const std::string start = "value: f(const float *x, float *y): ";
  call.grid(0);
  EXPECT_EQ(run(10), start + "grid.x: expected 1 to 2147483647, got 0");
  call.grid(int64_t{1} << 31);
  EXPECT_EQ(run(10), start + "grid.x: expected 1 to 2147483647, got 2147483648");
  call.grid(1, 65536);
  EXPECT_EQ(run(10), start + "grid.y: expected 1 to 65535, got 65536");
  call.grid(1, 1, 65536);
  EXPECT_EQ(run(10), start + "grid.z: expected 1 to 65535, got 65536");
}

TEST_F(Launch, LimitsOfExpressionsQuoteThem) {
  record.launch.block[0] = expression("y.numel() * 2", {numel(1), constant(2), op(KERNIX_OP_MULTIPLY)});
  EXPECT_EQ(run(600), "value: f(const float *x, float *y): block.x: expected 1 to 1024, got 1200 from `y.numel() * 2` "
                      "(y.numel() = 600)");
  record.launch.block[0] = expression("32", {constant(32)});
  record.launch.grid[0] = expression("y.numel() - 5", {numel(1), constant(5), op(KERNIX_OP_SUBTRACT)});
  EXPECT_EQ(run(3), "value: f(const float *x, float *y): grid.x: expected 0 to 2147483647, got -2 from `y.numel() - 5` "
                    "(y.numel() = 3)");
}

TEST_F(Launch, EmptyOutputsLaunchNothing) {
  EXPECT_EQ(run(0), "no launch");
  call.grid(0); // what a caller computes for them
  EXPECT_EQ(run(0), "no launch");
}

TEST_F(Launch, EmptyGridOfAnExpressionLaunchesNothing) {
  record.launch.grid[0] = expression("x.numel()", {numel(0)});
  EXPECT_EQ(run(10, 0), "no launch"); // the caller's own output keeps what it held
}

TEST_F(Launch, EmptyGridDoesNotHandOutUninitialisedMemory) {
  record.launch.grid[0] = expression("x.numel()", {numel(0)});
  record.parameters[1].shape = shape({expression("1", {constant(1)})});
  EXPECT_EQ(error_of(call(record, {value(Array({0})), absent()})),
            "value: f(const float *x, float *y): the grid is empty, but an output is not: nothing would write it");
  record.parameters[1].flags |= KERNIX_ZERO_INIT; // a sum of nothing
  EXPECT_EQ(error_of(call(record, {value(Array({0})), absent()})), "ok");
  EXPECT_EQ(launches.count, 0);
  EXPECT_EQ(call.allocator.zeroed, std::vector{1});
}

TEST_F(Launch, SharedMemory) {
  record.launch.shared_bytes = expression("block.x * 4", {block(0), constant(4), op(KERNIX_OP_MULTIPLY)});
  EXPECT_EQ(run(10), "1,1,1 x 256,1,1 + 1024");
  call.shared_bytes(100);
  EXPECT_EQ(run(10), "1,1,1 x 256,1,1 + 100");
  call.shared_bytes(-1);
  EXPECT_EQ(run(10), "value: f(const float *x, float *y): shared_bytes: expected 0 to 2147483647, got -1");
  EXPECT_TRUE(launches.opt_ins.empty());
}

TEST_F(Launch, SharedMemoryAbove48KBIsOptedInOnce) {
  call.shared_bytes(49 * 1024);
  EXPECT_EQ(run(10), "1,1,1 x 256,1,1 + 50176");
  EXPECT_EQ(run(10), "1,1,1 x 256,1,1 + 50176");
  EXPECT_EQ(launches.opt_ins, std::vector{49 * 1024});
  call.shared_bytes(60 * 1024);
  run(10);
  call.shared_bytes(50 * 1024); // must not lower the limit under a call of another thread
  run(10);
  EXPECT_EQ(launches.opt_ins, (std::vector{49 * 1024, 60 * 1024}));
  call.shared_bytes(101 * 1024);
  EXPECT_EQ(run(10), "value: f(const float *x, float *y): shared_bytes: expected at most 101376 on this device, beside "
                     "1024 static bytes, "
                     "got 103424");
}

TEST_F(Launch, StaticSharedMemoryCounts) {
  Record other("f(const float *x, float *y)", {input("x"), output("y")}); // asked once per kernel
  launches.static_shared_bytes = 40 * 1024;
  Array x({1}), y({10});
  call.shared_bytes(8 * 1024);
  EXPECT_EQ(error_of(call(other, {value(x), value(y)})), "ok");
  EXPECT_TRUE(launches.opt_ins.empty());
  call.shared_bytes(10 * 1024);
  EXPECT_EQ(error_of(call(other, {value(x), value(y)})), "ok");
  EXPECT_EQ(launches.opt_ins, std::vector{10 * 1024});
  call.shared_bytes(61 * 1024);
  EXPECT_NE(error_of(call(other, {value(x), value(y)})).find("expected at most 61440"), std::string::npos);
}

TEST_F(Launch, FailureIsReported) {
  launches.result = 701;
  EXPECT_EQ(run(10), "runtime: f(const float *x, float *y): launch failed: too many resources requested (error 701)");
}

TEST_F(Launch, ABlockOfTooManyRegisters) {
  launches.result = 701;
  call.block(1024);
  EXPECT_EQ(run(10), "runtime: f(const float *x, float *y): launch failed: too many resources requested (error 701): "
                     "with 40 registers a thread, a block has at most 512 threads, got 1024; give a smaller block, or "
                     "say in the source how large it is: [[kernix::block(...)]]");
}

TEST_F(Launch, StreamOfTheCaller) {
  int stream;
  call.options.has_stream = 1;
  call.options.stream = &stream;
  run(10);
  EXPECT_EQ(launches.stream, &stream);
}

TEST_F(Launch, HostFunctionsTakeNoLaunchSizes) {
  Record host("f(int n)", {attribute("n", int32)}, KERNIX_HOST_FUNCTION);
  host.function.thunk = [](void *const *, void *) {};
  call.block(32);
  EXPECT_EQ(error_of(call(host, {integer(1)})), "type: f(int n): launch sizes were given, but this is not a kernel");
}

} // namespace

} // namespace kernix::test
