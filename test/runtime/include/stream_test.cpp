// test/runtime/include/stream_test.cpp - kernix/stream.h.

#include "kernix/stream.h"

#include <gtest/gtest.h>
#include <type_traits>

namespace kernix {

namespace {

static_assert(std::is_trivially_copyable_v<Stream> && std::is_standard_layout_v<Stream>);

TEST(Stream, IsAHandle) {
  EXPECT_EQ(static_cast<CUstream_st *>(Stream()), nullptr);
  auto *handle = reinterpret_cast<CUstream_st *>(this);
  Stream stream = handle;
  EXPECT_EQ(static_cast<CUstream_st *>(stream), handle);
  EXPECT_EQ(stream.handle(), handle);
}

} // namespace

} // namespace kernix
