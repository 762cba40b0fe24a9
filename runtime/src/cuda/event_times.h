// runtime/src/cuda/event_times.h - times of what runs on a stream, by pairs of events. Nothing is waited for.

#ifndef KERNIX_CUDA_EVENT_TIMES_H
#define KERNIX_CUDA_EVENT_TIMES_H

#include "cuda/driver.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace kernix::cuda {

/// Two events of one device.
struct EventPair {
  void *begin = nullptr, *end = nullptr;
  int32_t device = 0;
  const void *what = nullptr; ///< the caller's
};

class EventTimes {
public:
  static EventTimes &instance();

  /// Whether a stream is captured into a graph, or cannot be asked: no driver, no context yet.
  bool is_capturing(void *stream);

  /// Marks the beginning on a stream that is not captured. Null if that cannot be, as with too many pairs that have not
  /// ended. The device has been selected.
  EventPair *start(int32_t device, void *stream);
  /// Marks the end; the pair is handed to `collect` when it has happened.
  void stop(EventPair *events, void *stream, const void *what);
  /// A pair that was started and shall not count.
  void give_back(EventPair *events);

  /// Hands out the pairs that have happened, those that began first being asked first. Ends when `most_asked` have not
  /// happened: to ask one takes as long as a part of a launch.
  using Done = void (*)(const void *what, int32_t device, float milliseconds);
  void collect(size_t most_asked, Done done);

private:
  struct Functions {
    int (*is_capturing)(void *stream, int *status);
    int (*create)(void **event, unsigned flags);
    int (*record)(void *event, void *stream);
    int (*query)(void *event);
    int (*elapsed)(float *milliseconds, void *begin, void *end);
  };

  EventTimes() = default;
  bool find_functions();
  EventPair *take(int32_t device);

  std::mutex mutex_;
  std::atomic<bool> are_found_{false}; ///< then the functions are there for good
  Functions functions_{};
  std::vector<std::unique_ptr<EventPair>> all_; ///< events are never destroyed: their context may be gone
  std::vector<EventPair *> free_;
  std::deque<EventPair *> under_way_;
};

} // namespace kernix::cuda

#endif // KERNIX_CUDA_EVENT_TIMES_H
