// test/runtime/core/error_test.cpp - the thread's last message.

#include "kernix/abi.h"

#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace kernix::test {

namespace {

TEST(Error, ReturnsItsStatusAndKeepsTheMessage) {
  EXPECT_EQ(kernix_set_error(KERNIX_ERROR_KEY, "no %s in %d", "x", 3), KERNIX_ERROR_KEY);
  EXPECT_STREQ(kernix_last_error(), "no x in 3");
  const std::string long_text(5000, 'a');
  kernix_set_error(KERNIX_ERROR_VALUE, "%s", long_text.c_str());
  EXPECT_EQ(kernix_last_error(), long_text);
}

TEST(Error, EachThreadHasItsOwn) {
  kernix_set_error(KERNIX_ERROR_KEY, "mine");
  std::thread([] {
    EXPECT_STREQ(kernix_last_error(), "");
    kernix_set_error(KERNIX_ERROR_KEY, "other");
  }).join();
  EXPECT_STREQ(kernix_last_error(), "mine");
}

TEST(Error, Versions) {
  EXPECT_EQ(kernix_runtime_abi_version(), static_cast<uint32_t>(KERNIX_ABI_VERSION));
  EXPECT_STREQ(kernix_runtime_version(), KERNIX_EXPECTED_VERSION);
}

} // namespace

} // namespace kernix::test
