// runtime/src/selector/call_times.h - counts real calls and times a share of them, for the selector of their device.
// Off unless asked for.
//
// On the CPU the wall time of a call; on CUDA the time between two events on its stream, which are read when they have
// happened: nobody waits. A call that is captured into a graph is not counted, since it does not run. Which calls are
// timed: statistics.h.

#ifndef KERNIX_SELECTOR_CALL_TIMES_H
#define KERNIX_SELECTOR_CALL_TIMES_H

#include "cuda/event_times.h"
#include "selector/statistics.h"
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
  /// The call was successful. Without it nothing is counted.
  void stop() {
    if (statistics_) [[unlikely]]
      record();
  }
  ~CallTimer() {
    if (events_) [[unlikely]]
      cuda::EventTimes::instance().give_back(events_);
  }

private:
  void start(const kernix_function &function, int32_t device, void *stream);
  void record();
  void record_time();

  const kernix_function *function_ = nullptr;
  Statistics *statistics_ = nullptr; ///< null: not counted
  uint64_t generation_ = 0;          ///< of the registry, when statistics_ was looked up
  kernix_device device_ = {};
  void *stream_ = nullptr;
  int64_t spent_ = 0, started_ = 0; ///< in nanoseconds; started_ is 0 for a call that is not timed
  cuda::EventPair *events_ = nullptr;
};

/// Records the calls on CUDA that have ended since.
void collect_call_times();

} // namespace kernix::selector

#endif // KERNIX_SELECTOR_CALL_TIMES_H
