// runtime/src/cuda/event_times.cpp
//
// Events of the driver, which are those of every CUDA runtime in the process.

#include "cuda/event_times.h"

#include <algorithm>
#include <utility>

namespace kernix::cuda {

namespace {

constexpr size_t most_pairs = 1024;
constexpr int invalid_context = 201; // CUDA_ERROR_INVALID_CONTEXT
constexpr int not_ready = 600;       // CUDA_ERROR_NOT_READY

} // namespace

EventTimes &EventTimes::instance() {
  static auto *const times = new EventTimes; // as long as the process: threads may end after main
  return *times;
}

bool EventTimes::find_functions() {
  if (are_found_)
    return true;
  const Driver driver;
  functions_ = {driver.find<int (*)(void *, int *)>("cuStreamIsCapturing"),
                driver.find<int (*)(void **, unsigned)>("cuEventCreate"),
                driver.find<int (*)(void *, void *)>("cuEventRecord"), driver.find<int (*)(void *)>("cuEventQuery"),
                driver.find<int (*)(float *, void *, void *)>("cuEventElapsedTime")};
  const bool found =
      functions_.is_capturing && functions_.create && functions_.record && functions_.query && functions_.elapsed;
  are_found_.store(found, std::memory_order_release);
  return found;
}

EventPair *EventTimes::take(int32_t device) {
  const auto known =
      std::find_if(free_.rbegin(), free_.rend(), [&](const EventPair *pair) { return pair->device == device; });
  if (known != free_.rend()) {
    EventPair *const pair = *known;
    free_.erase(std::next(known).base());
    return pair;
  }
  if (all_.size() >= most_pairs)
    return nullptr;
  auto made = std::make_unique<EventPair>();
  made->device = device;
  constexpr unsigned with_time = 0; // CU_EVENT_DEFAULT
  if (functions_.create(&made->begin, with_time) || functions_.create(&made->end, with_time))
    return nullptr;
  return all_.emplace_back(std::move(made)).get();
}

bool EventTimes::is_capturing(void *stream) {
  if (!are_found_.load(std::memory_order_acquire)) {
    std::lock_guard lock(mutex_);
    if (!find_functions())
      return true;
  }
  int status = 0;
  const int error = functions_.is_capturing(stream, &status);
  // A thread that has not touched a device captures nothing.
  return error != invalid_context && (error || status);
}

EventPair *EventTimes::start(int32_t device, void *stream) {
  std::lock_guard lock(mutex_);
  if (!find_functions())
    return nullptr;
  EventPair *const pair = take(device);
  if (!pair || !functions_.record(pair->begin, stream))
    return pair;
  free_.push_back(pair);
  return nullptr;
}

void EventTimes::stop(EventPair *events, void *stream, const void *what) {
  std::lock_guard lock(mutex_);
  events->what = what;
  if (functions_.record(events->end, stream))
    free_.push_back(events);
  else
    under_way_.push_back(events);
}

void EventTimes::give_back(EventPair *events) {
  std::lock_guard lock(mutex_);
  free_.push_back(events);
}

void EventTimes::collect(size_t most_asked, Done done) {
  std::vector<std::pair<EventPair, float>> ended;
  {
    std::lock_guard lock(mutex_);
    size_t asked = 0;
    for (auto next = under_way_.begin(); next != under_way_.end() && asked < most_asked;) {
      EventPair *const pair = *next;
      const int status = functions_.query(pair->end);
      float milliseconds = 0;
      if (status == not_ready) {
        ++asked;
        ++next;
        continue;
      }
      if (!status && !functions_.elapsed(&milliseconds, pair->begin, pair->end))
        ended.emplace_back(*pair, milliseconds);
      next = under_way_.erase(next);
      free_.push_back(pair);
    }
  }
  for (const auto &[pair, milliseconds] : ended)
    done(pair.what, pair.device, milliseconds);
}

} // namespace kernix::cuda
