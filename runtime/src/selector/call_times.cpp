// runtime/src/selector/call_times.cpp

#include "selector/call_times.h"
#include "selector/bound.h"
#include "selector/registry.h"
#include "selector/selector.h"

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

  Statistics *find(const kernix_function &function, kernix_device device) {
    const uint64_t generation = Registry::instance().generation();
    const size_t number = device.type == KERNIX_CUDA ? static_cast<size_t>(device.index) + 1 : 0;
    if (number >= held_.size())
      return nullptr;
    Place &place = places_[(reinterpret_cast<uintptr_t>(&function) / sizeof function) % places_.size()];
    if (place.function == &function && place.number == number && place.generation == generation)
      return place.statistics;
    // Valid as long as the selector is held, which it is while the generation is the same.
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

void add(const kernix_function &function, kernix_device device, float milliseconds) {
  // On the heap: the room for thread-local variables of libraries that are loaded later is small.
  thread_local const auto places = std::make_unique<Places>();
  if (Statistics *const statistics = places->find(function, device))
    statistics->add(milliseconds);
}

void collect(size_t most_asked) {
  cuda::EventTimes::instance().collect(most_asked, [](const void *what, int32_t device, float milliseconds) {
    add(*static_cast<const kernix_function *>(what), {KERNIX_CUDA, device}, milliseconds);
  });
}

} // namespace

void CallTimer::start(const kernix_function &function, int32_t device, void *stream) {
  if (!(function.flags & KERNIX_FOR_CUDA)) {
    function_ = &function;
    started_ = now();
    return;
  }
  events_ = cuda::EventTimes::instance().start(device < 0 ? 0 : device, stream);
  if (!events_)
    return;
  function_ = &function;
  device_ = device < 0 ? 0 : device;
  stream_ = stream;
}

void CallTimer::record() {
  if (events_) {
    cuda::EventTimes::instance().stop(std::exchange(events_, nullptr), stream_, function_);
    collect(1);
  } else {
    add(*function_, {KERNIX_CPU, 0}, static_cast<float>(now() - started_) * milliseconds_of_nanosecond);
  }
}

void collect_call_times() { collect(std::numeric_limits<size_t>::max()); }

} // namespace kernix::selector
