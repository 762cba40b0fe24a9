// runtime/src/selector/statistics.h - how often one kernel was called; average, least and greatest of the calls that
// were timed.
//
// A real call is timed if that was paid for: each timed call says how many calls have to go by until what its timing
// cost is a small share of them. The first ones are timed at once and paid for later, so that short runs have times
// too.

#ifndef KERNIX_SELECTOR_STATISTICS_H
#define KERNIX_SELECTOR_STATISTICS_H

#include "kernix/selector_abi.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

namespace kernix::selector {

/// Any number of threads may add and read. `average_of_enough` never waits, for decisions.
class Statistics {
public:
  /// From so many samples on, the average decides which kernel is the fastest.
  static constexpr int64_t enough = 10;

  void count_call() { calls_.fetch_add(1, std::memory_order_relaxed); }

  /// Of a call that was counted.
  void add_time(float milliseconds) {
    std::lock_guard lock(mutex_);
    min_ = timed_ == 0 ? milliseconds : std::min(min_, milliseconds);
    max_ = std::max(max_, milliseconds);
    sum_ += static_cast<double>(milliseconds);
    last_.store(milliseconds, std::memory_order_relaxed);
    if (++timed_ >= enough)
      average_of_enough_.store(average(), std::memory_order_relaxed);
  }

  /// Both.
  void add(float milliseconds) {
    count_call();
    add_time(milliseconds);
  }

  /// NaN where nothing was timed.
  kernix_performance read() const {
    std::lock_guard lock(mutex_);
    const int64_t calls = calls_.load(std::memory_order_relaxed);
    if (timed_ == 0)
      return {NAN, NAN, NAN, calls, 0};
    return {average(), min_, max_, calls, timed_};
  }

  /// What the timing of a call may cost: this share of the calls.
  static constexpr double share = 0.01;

  bool is_call_timed() const {
    return timings_.load(std::memory_order_relaxed) < enough ||
           calls_.load(std::memory_order_relaxed) >= paid_from_.load(std::memory_order_relaxed);
  }
  /// A timed call took `nanoseconds`, and to time it so many `spent` ones.
  void pay(int64_t spent, int64_t nanoseconds) {
    timings_.fetch_add(1, std::memory_order_relaxed);
    // What is done once, as making events, is no part of it.
    const int64_t least = least_spent_.load(std::memory_order_relaxed);
    least_spent_.store(std::min(least, spent), std::memory_order_relaxed);
    spent = least == unknown ? 0 : std::min(spent, 2 * least);
    const auto last = static_cast<double>(last_.load(std::memory_order_relaxed)) * 1e6;
    // A kernel on CUDA may take longer than its launch.
    const double duration = std::max({static_cast<double>(nanoseconds), last, 1.0});
    const auto calls = static_cast<int64_t>(std::min(static_cast<double>(spent) / (share * duration), 1e9));
    int64_t from = paid_from_.load(std::memory_order_relaxed);
    while (!paid_from_.compare_exchange_weak(from, std::max(from, calls_.load(std::memory_order_relaxed)) + calls,
                                             std::memory_order_relaxed)) {
    }
  }

  /// Negative while there are too few samples.
  float average_of_enough() const { return average_of_enough_.load(std::memory_order_relaxed); }

private:
  float average() const { return static_cast<float>(sum_ / static_cast<double>(timed_)); }

  std::atomic<int64_t> calls_{0};
  std::atomic<int64_t> timings_{0};   ///< that were begun; on CUDA they end later
  std::atomic<int64_t> paid_from_{0}; ///< from this call on another one may be timed
  static constexpr int64_t unknown = std::numeric_limits<int64_t>::max();
  std::atomic<int64_t> least_spent_{unknown};
  std::atomic<float> last_{0};

  mutable std::mutex mutex_;
  double sum_ = 0;
  float min_ = 0, max_ = 0;
  int64_t timed_ = 0;
  std::atomic<float> average_of_enough_{-1};
};

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_STATISTICS_H
