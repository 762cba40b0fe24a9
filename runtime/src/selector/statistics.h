// runtime/src/selector/statistics.h - average, least and greatest of the times of one kernel.

#ifndef KERNIX_SELECTOR_STATISTICS_H
#define KERNIX_SELECTOR_STATISTICS_H

#include "kernix/selector_abi.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace kernix::selector {

/// Any number of threads may add and read. `average_of_enough` never waits, for decisions.
class Statistics {
public:
  /// From so many samples on, the average decides which kernel is the fastest.
  static constexpr int64_t enough = 10;

  void add(float milliseconds) {
    std::lock_guard lock(mutex_);
    min_ = count_ == 0 ? milliseconds : std::min(min_, milliseconds);
    max_ = std::max(max_, milliseconds);
    sum_ += static_cast<double>(milliseconds);
    if (++count_ >= enough)
      average_of_enough_.store(average(), std::memory_order_relaxed);
  }

  kernix_performance read() const {
    std::lock_guard lock(mutex_);
    return {count_ == 0 ? 0 : average(), min_, max_, count_};
  }

  /// Negative while there are too few samples.
  float average_of_enough() const { return average_of_enough_.load(std::memory_order_relaxed); }

private:
  float average() const { return static_cast<float>(sum_ / static_cast<double>(count_)); }

  mutable std::mutex mutex_;
  double sum_ = 0;
  float min_ = 0, max_ = 0;
  int64_t count_ = 0;
  std::atomic<float> average_of_enough_{-1};
};

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_STATISTICS_H
