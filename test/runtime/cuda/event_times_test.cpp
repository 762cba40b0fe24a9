// test/runtime/cuda/event_times_test.cpp - times of calls on CUDA, by events that nobody waits for.

#include "fake_driver.h"
#include "kernix/kernel_selector.h"
#include "selector/call_times.h"

#include <gtest/gtest.h>
#include <string>

namespace kernix::test {

namespace {

class EventTimes : public testing::Test {
protected:
  void SetUp() override {
    // Events that exist stay known.
    fake_driver().has_context = true;
    fake_driver().is_capturing = false;
    fake_driver().runs_for = 0;
    KernelRegistry::clear();
    kernix_watch_calls(KERNIX_WATCH_TIMES, 1);
    kernix_watch_calls(KERNIX_WATCH_EVERY_TIME, 1);
    function.name = "timed";
    function.flags = KERNIX_FOR_CUDA;
  }
  void TearDown() override {
    kernix_watch_calls(KERNIX_WATCH_TIMES, 0);
    kernix_watch_calls(KERNIX_WATCH_EVERY_TIME, 0);
  }

  /// A call that takes `milliseconds` on the device.
  void call(int milliseconds, bool is_successful = true) {
    selector::CallTimer timer(function, 1, nullptr);
    fake_driver().now += milliseconds;
    if (is_successful)
      timer.stop();
  }

  /// "calls timed average" of what has been measured; without the average where no call has been timed yet.
  static std::string measured() {
    std::string text;
    const KernelSelector selector = KernelRegistry::get_or_create_selector("cuda:1");
    kernix_selector_visit_performance(
        selector.raw(),
        [](void *to, const char *operation, int32_t dtype, const kernix_performance *found) {
          EXPECT_STREQ(operation, "timed");
          EXPECT_EQ(dtype, KERNIX_KERNEL_AUTO); // not of a module
          std::string &text = *static_cast<std::string *>(to);
          text += std::to_string(found->count) + " " + std::to_string(found->timed);
          if (found->timed)
            text += " " + std::to_string(static_cast<int>(found->average));
        },
        &text);
    return text;
  }

  kernix_function function = {};
};

TEST_F(EventTimes, TimeBetweenTheEvents) {
  call(3);
  call(5);
  EXPECT_EQ(measured(), "2 2 4");
}

TEST_F(EventTimes, NothingWaits) {
  fake_driver().runs_for = 100;
  call(3);
  EXPECT_EQ(measured(), "1 0");
  fake_driver().now += 100;
  EXPECT_EQ(measured(), "1 1 3");
}

TEST_F(EventTimes, EventsAreUsedAgain) {
  call(1);
  const int made = fake_driver().num_events;
  for (int i = 0; i < 100; ++i)
    call(1);
  EXPECT_EQ(fake_driver().num_events, made);
  EXPECT_EQ(measured(), "101 101 1");
}

TEST_F(EventTimes, ManyCallsUnderWayAreNotAllTimed) {
  fake_driver().runs_for = 1000000;
  for (int i = 0; i < 2000; ++i)
    call(0);
  EXPECT_LE(fake_driver().num_events, 2 * 1024);
  fake_driver().now += 1000000;
  EXPECT_EQ(measured(), "2000 1024 0");
}

TEST_F(EventTimes, FailedAndCapturedCallsDoNotCount) {
  call(3, false);
  fake_driver().is_capturing = true;
  call(3);
  EXPECT_EQ(measured(), "");
}

TEST_F(EventTimes, OffIsOff) {
  kernix_watch_calls(KERNIX_WATCH_TIMES, 0);
  call(3);
  EXPECT_EQ(measured(), "");
}

TEST_F(EventTimes, OnTheCpuTheWallTime) {
  function.flags = 0;
  call(0);
  EXPECT_EQ(measured(), "");
  int64_t count = 0;
  kernix_selector_visit_performance(
      KernelRegistry::get_or_create_selector("cpu").raw(),
      [](void *to, const char *, int32_t, const kernix_performance *found) {
        *static_cast<int64_t *>(to) = found->count;
      },
      &count);
  EXPECT_EQ(count, 1);
}

} // namespace

} // namespace kernix::test
