// test/runtime/core/sync_test.cpp - KERNIX_SYNC=1, which this program sets before the first call.

#include "record.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace kernix::test {

namespace {

const int environment = setenv("KERNIX_SYNC", "1", 1);

TEST(Sync, NamesTheKernelThatFailed) {
  ASSERT_EQ(environment, 0);
  Record record("f(float *y)", {output("y")});
  static void *waited_for;
  static int result;
  kernix_cuda_api api = recording_cuda();
  api.stream_synchronize = [](void *stream) { return waited_for = stream, result; };
  record.function.cuda = &api;
  Call call;
  int stream;
  call.options.has_stream = 1;
  call.options.stream = &stream;
  Array y({3});
  EXPECT_EQ(error_of(call(record, {value(y)})), "ok");
  EXPECT_EQ(waited_for, &stream);
  result = 700;
  EXPECT_EQ(error_of(call(record, {value(y)})), "runtime: f(float *y): failed while it ran (KERNIX_SYNC=1): too many "
                                                "resources requested (error 700)");
}

} // namespace

} // namespace kernix::test
