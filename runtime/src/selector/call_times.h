// runtime/src/selector/call_times.h - the times of real calls, for the selector of their device. Off unless asked for.
//
// On the CPU the wall time of a call; on CUDA the time between two events on its stream, which are read when they have
// happened: nobody waits. A call that is captured into a graph is not timed, since it does not run.

#ifndef KERNIX_SELECTOR_CALL_TIMES_H
#define KERNIX_SELECTOR_CALL_TIMES_H

#include "cuda/event_times.h"
#include "selector/watch.h"

#include <cstdint>

namespace kernix::selector {

/// Around one call, on the thread that makes it, with its device selected.
class CallTimer {
public:
  CallTimer(const kernix_function &function, int32_t device, void *stream) {
    if (is_watched(KERNIX_WATCH_TIMES)) [[unlikely]]
      start(function, device, stream);
  }
  CallTimer(const CallTimer &) = delete;
  CallTimer &operator=(const CallTimer &) = delete;
  /// The call was successful. Without it nothing is recorded.
  void stop() {
    if (function_) [[unlikely]]
      record();
  }
  ~CallTimer() {
    if (events_) [[unlikely]]
      cuda::EventTimes::instance().give_back(events_);
  }

private:
  void start(const kernix_function &function, int32_t device, void *stream);
  void record();

  const kernix_function *function_ = nullptr; ///< null: not timed
  int32_t device_ = 0;
  void *stream_ = nullptr;
  int64_t started_ = 0; ///< in nanoseconds
  cuda::EventPair *events_ = nullptr;
};

/// Records the calls on CUDA that have ended since.
void collect_call_times();

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_CALL_TIMES_H
