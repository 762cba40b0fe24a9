// test/runtime/core/resources_test.cpp - kernix_kernel_resources.

#include "record.h"

#include <gtest/gtest.h>

namespace kernix::test {

namespace {

TEST(Resources, OfACudaKernel) {
  Record record("f(float *y)", {output("y")});
  record.function.flags |= KERNIX_FOR_CUDA;
  kernix_resources resources;
  ASSERT_EQ(kernix_kernel_resources(&record.function, 256, 0, &resources), KERNIX_OK);
  EXPECT_EQ(resources.registers, 40);
  EXPECT_EQ(resources.shared_bytes, 1024);
  EXPECT_EQ(resources.constant_bytes, 64);
  EXPECT_EQ(resources.local_bytes, 16);
  EXPECT_EQ(resources.max_threads_per_block, 512);
  EXPECT_EQ(resources.occupancy_blocks, 4);
  EXPECT_EQ(resources.occupancy, 0.5);
  EXPECT_EQ(resources.fibers, 0);
}

TEST(Resources, OfACpuKernel) {
  Record record("f(float *y)", {output("y")});
  kernix_resources resources;
  ASSERT_EQ(kernix_kernel_resources(&record.function, 256, 0, &resources), KERNIX_OK);
  EXPECT_EQ(resources.registers, 0);
  EXPECT_EQ(resources.fibers, 1);
}

TEST(Resources, Refusals) {
  Record kernel("f(float *y)", {output("y")}), host("g()", {}, KERNIX_HOST_FUNCTION);
  kernix_resources resources;
  EXPECT_EQ(error_of(kernix_kernel_resources(&host.function, 256, 0, &resources)),
            "type: g(): only kernels have resources");
  EXPECT_EQ(error_of(kernix_kernel_resources(&kernel.function, 0, 0, &resources)),
            "value: f(float *y): block size: expected 1 to 1024, got 0");
  kernix_cuda_api without = recording_cuda();
  without.occupancy = nullptr;
  kernel.function.cuda = &without;
  EXPECT_EQ(error_of(kernix_kernel_resources(&kernel.function, 256, 0, &resources)),
            "runtime: f(float *y): the object cannot tell its resources");
  kernix_cuda_api failing = recording_cuda();
  failing.function_get_attributes = [](void *, const void *) { return 98; };
  kernel.function.cuda = &failing;
  EXPECT_EQ(error_of(kernix_kernel_resources(&kernel.function, 256, 0, &resources)),
            "runtime: f(float *y): its resources are not known: too many resources requested (error 98)");
}

} // namespace

} // namespace kernix::test
