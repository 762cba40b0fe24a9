// runtime/src/selector/call_times.cpp

#include "selector/call_times.h"
#include "selector/bound.h"
#include "selector/registry.h"
#include "selector/selector.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>

namespace kernix::selector {

namespace {

constexpr float milliseconds_of_nanosecond = 1e-6f;

int64_t now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

/// What a thread has found out about where its calls are recorded, until the registry is cleared.
class Places {
public:
  Places() = default;
  Places(const Places &) = delete;
  Places &operator=(const Places &) = delete;
  ~Places() {
    for (Held &held : held_)
      kernix_selector_release(held.selector);
  }

  /// Null for a device with a number that no machine has. Valid while the registry's generation is the same.
  Statistics *find(const kernix_function &function, kernix_device device) {
    const uint64_t generation = Registry::generation();
    const size_t number = device.type == KERNIX_CUDA ? static_cast<size_t>(device.index) + 1 : 0;
    if (number >= held_.size())
      return nullptr;
    Place &place = places_[(reinterpret_cast<uintptr_t>(&function) / sizeof function) % places_.size()];
    if (place.function == &function && place.number == number && place.generation == generation)
      return place.statistics;
    place = {&function, number, generation,
             &selector(held_[number], device, generation).statistics(function.name, bound_dtype(function))};
    return place.statistics;
  }

private:
  struct Held {
    kernix_selector *selector = nullptr;
    uint64_t generation = 0;
  };
  struct Place {
    const kernix_function *function = nullptr;
    size_t number = 0;
    uint64_t generation = 0;
    Statistics *statistics = nullptr;
  };

  static kernix_selector &selector(Held &held, kernix_device device, uint64_t generation) {
    if (!held.selector || held.generation != generation) {
      kernix_selector_release(held.selector);
      held = {Registry::instance().selector(device), generation};
    }
    return *held.selector;
  }

  std::array<Held, 16> held_;    ///< of the CPU, and of CUDA devices
  std::array<Place, 64> places_; ///< by the function's address
};

/// The calling thread's. Behind a plain pointer, which takes no guard; null before the first call.
thread_local constinit Places *places_of_thread = nullptr;

Statistics *find_statistics(const kernix_function &function, kernix_device device) {
  if (!places_of_thread) [[unlikely]] {
    // On the heap: the room for thread-local variables of libraries that are loaded later is small.
    thread_local const auto places = std::make_unique<Places>();
    places_of_thread = places.get();
  }
  return places_of_thread->find(function, device);
}

void collect(size_t most_asked) {
  cuda::EventTimes::instance().collect(most_asked, [](const void *what, int32_t device, float milliseconds) {
    const auto &function = *static_cast<const kernix_function *>(what);
    if (Statistics *const statistics = find_statistics(function, {KERNIX_CUDA, device}))
      statistics->add_time(milliseconds);
  });
}

} // namespace

void CallTimer::start(const kernix_function &function, int32_t device, void *stream) {
  const bool is_cuda = (function.flags & KERNIX_FOR_CUDA) != 0;
  if (is_cuda && cuda::EventTimes::instance().is_capturing(stream))
    return;
  function_ = &function;
  device_ = is_cuda ? kernix_device{KERNIX_CUDA, std::max(device, 0)} : kernix_device{KERNIX_CPU, 0};
  generation_ = Registry::generation();
  statistics_ = find_statistics(function, device_);
  if (!statistics_ || !(statistics_->is_call_timed() || is_watched(KERNIX_WATCH_EVERY_TIME)))
    return;
  const int64_t begun = now();
  if (is_cuda) {
    stream_ = stream;
    events_ = cuda::EventTimes::instance().start(device_.index, stream);
    if (!events_)
      return;
  }
  started_ = now();
  spent_ = started_ - begun;
}

void CallTimer::record() {
  // What is called in between may have cleared the registry.
  if (generation_ != Registry::generation())
    statistics_ = find_statistics(*function_, device_);
  statistics_->count_call();
  if (started_)
    record_time();
}

void CallTimer::record_time() {
  const int64_t ended = now(), duration = ended - started_;
  if (events_) {
    cuda::EventTimes::instance().stop(std::exchange(events_, nullptr), stream_, function_);
    collect(1);
  } else {
    statistics_->add_time(static_cast<float>(duration) * milliseconds_of_nanosecond);
  }
  if (is_watched(KERNIX_WATCH_EVERY_TIME))
    return;
  // Twice, since the clock was read four times, of which the differences hold two.
  const int64_t spent = spent_ + (now() - ended);
  statistics_->pay(2 * spent, duration);
}

void collect_call_times() { collect(std::numeric_limits<size_t>::max()); }

} // namespace kernix::selector
