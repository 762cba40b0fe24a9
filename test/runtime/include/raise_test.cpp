// test/runtime/include/raise_test.cpp - kernix/raise.h and kernix/error.h.

#include "kernix/raise.h"

#include "kernix/error.h"

#include <gtest/gtest.h>
#include <string>

namespace kernix {

namespace {

TEST(Raise, ThrowsKernelError) {
  try {
    kernix_raise(KERNIX_ERROR_VALUE, "%s of %d", "axis", 3);
  } catch (const KernelError &error) {
    EXPECT_STREQ(error.what(), "axis of 3");
    EXPECT_EQ(error.status(), KERNIX_ERROR_VALUE);
    return;
  }
  FAIL();
}

TEST(Raise, LongMessagesAreCut) {
  EXPECT_THROW(kernix_raise(KERNIX_ERROR_RUNTIME, "%s", std::string(5000, 'a').c_str()), std::runtime_error);
}

} // namespace

} // namespace kernix
