// test/runtime/selector/stress_test.cpp - readers, a writer and clear() at once, under ThreadSanitizer.

#include "kernix/kernel_selector.h"
#include "selector/call_times.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace kernix::test {

namespace {

constexpr int num_readers = 16, num_reads = 300;

/// `write` goes on until every reader has read often enough.
int run(const std::function<void(int)> &read, const std::function<void(int)> &write) {
  std::atomic<int> left{num_readers};
  std::vector<std::thread> readers;
  for (int i = 0; i < num_readers; ++i)
    readers.emplace_back([&, i] {
      for (int k = 0; k < num_reads; ++k) {
        read(i);
        std::this_thread::yield(); // there may be fewer processors than threads
      }
      --left;
    });
  int round = 0;
  for (; left > 0; ++round)
    write(round);
  for (std::thread &reader : readers)
    reader.join();
  return round;
}

TEST(Stress, ReadersAndAWriter) {
  KernelSelector selector("cpu");
  selector.register_kernel_capability("fixed", KernelCapability::create_bfloat16());
  std::atomic<int64_t> wrong{0};
  const int rounds = run(
      [&](int reader) {
        // What does not change is always seen; what is seen of the rest is whole.
        if (selector.select_best_kernel("fixed", {DType::BFloat16}) != KernelDtype::BFloat16)
          ++wrong;
        const KernelDtype found = selector.select_best_kernel("blend", {DType::Float16}, KernelDtype::BFloat16);
        if (found != KernelDtype::BFloat16 && found != KernelDtype::Float32)
          ++wrong;
        if (const auto capability = selector.capability("blend", KernelDtype::BFloat16);
            capability && capability->performance_factor() != capability->memory_efficiency())
          ++wrong;
        selector.update_performance_stats("fixed", KernelDtype::BFloat16, static_cast<float>(reader));
        if (const auto stats = selector.get_performance_stats("fixed", KernelDtype::BFloat16);
            stats->max_execution_time() >= num_readers)
          ++wrong;
      },
      [&](int round) {
        const auto factor = static_cast<float>(round + 1);
        selector.register_kernel_capability(
            "blend", KernelCapability(KernelDtype::BFloat16, round % 2 == 0, true, factor, factor));
        selector.set_policy("blend", static_cast<KernelPolicy>(round % 3));
        selector.register_kernel_capability("operation" + std::to_string(round % 1000),
                                            KernelCapability::create_float16());
      });
  EXPECT_EQ(wrong, 0);
  for (int i = 0; i < std::min(rounds, 1000); ++i)
    EXPECT_TRUE(selector.is_kernel_available("operation" + std::to_string(i), KernelDtype::Float16));
}

TEST(Stress, ClearDuringUse) {
  std::atomic<int64_t> wrong{0};
  run(
      [&](int reader) {
        KernelSelector selector = KernelRegistry::get_or_create_selector("cpu");
        if (!selector.is_kernel_available("conv2d", KernelDtype::Float16))
          ++wrong;
        selector.register_kernel_capability("reader" + std::to_string(reader), KernelCapability::create_float32());
        if (selector.select_best_kernel("matmul", {DType::BFloat16}) != KernelDtype::BFloat16)
          ++wrong;
        for (const auto &[device, each] : KernelRegistry::get_all_selectors())
          if (!each.is_kernel_available("relu", KernelDtype::Float32))
            ++wrong;
      },
      [&](int) { KernelRegistry::clear(); });
  EXPECT_EQ(wrong, 0);
}

TEST(Stress, AllCallsAreCountedAndSomeTimed) {
  KernelRegistry::clear();
  kernix_function function = {};
  function.name = "counted";
  kernix_watch_calls(KERNIX_WATCH_TIMES, 1);
  std::atomic<int64_t> wrong{0};
  run(
      [&](int) {
        selector::CallTimer timer(function, 0, nullptr);
        timer.stop();
      },
      [&](int round) {
        kernix_watch_calls(KERNIX_WATCH_EVERY_TIME, round % 2);
        const auto visit = [](void *to, const char *, int32_t, const kernix_performance *found) {
          if (found->timed > found->count || (found->timed && !(found->min <= found->max)))
            ++*static_cast<std::atomic<int64_t> *>(to);
        };
        kernix_selector_visit_performance(KernelRegistry::get_or_create_selector("cpu").raw(), visit, &wrong);
      });
  kernix_watch_calls(KERNIX_WATCH_TIMES | KERNIX_WATCH_EVERY_TIME, 0);
  EXPECT_EQ(wrong, 0);
  kernix_performance found = {};
  kernix_selector_visit_performance(
      KernelRegistry::get_or_create_selector("cpu").raw(),
      [](void *to, const char *, int32_t, const kernix_performance *one) {
        *static_cast<kernix_performance *>(to) = *one;
      },
      &found);
  EXPECT_EQ(found.count, num_readers * num_reads);
  EXPECT_GE(found.timed, 10);
  KernelRegistry::clear();
}

TEST(Stress, DefaultsAreReplacedDuringUse) {
  std::vector<KernelSelector> selectors;
  for (int i = 0; i < num_reads; ++i) {
    selectors.emplace_back("cpu");
    selectors.back().set_policy("matmul", KernelPolicy::Ranked);
  }
  std::atomic<int> turn{0};
  std::atomic<int64_t> wrong{0};
  run(
      [&](int) {
        const KernelSelector &selector = selectors[static_cast<size_t>(std::min(turn.load(), num_reads - 1))];
        const auto found = static_cast<uint32_t>(selector.select_best_kernel("matmul", {DType::BFloat16}));
        if (found > static_cast<uint32_t>(KernelDtype::BFloat16))
          ++wrong;
      },
      [&](int round) {
        if (round < num_reads)
          selectors[static_cast<size_t>(round)].register_kernel_capability("matmul",
                                                                           KernelCapability::create_float16());
        turn = round + 1;
      });
  EXPECT_EQ(wrong, 0);
}

TEST(Stress, TimedCallsAndClear) {
  kernix_function function = {};
  function.name = "timed";
  kernix_watch_calls(KERNIX_WATCH_TIMES, 1);
  run(
      [&](int) {
        selector::CallTimer timer(function, 0, nullptr);
        timer.stop();
      },
      [&](int) { KernelRegistry::clear(); });
  selector::CallTimer timer(function, 0, nullptr);
  timer.stop();
  kernix_watch_calls(KERNIX_WATCH_TIMES, 0);
  int64_t count = 0;
  kernix_selector_visit_performance(
      KernelRegistry::get_or_create_selector("cpu").raw(),
      [](void *to, const char *, int32_t, const kernix_performance *found) {
        *static_cast<int64_t *>(to) = found->count;
      },
      &count);
  EXPECT_GE(count, 1);
}

} // namespace

} // namespace kernix::test
