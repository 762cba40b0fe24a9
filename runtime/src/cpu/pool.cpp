// cpu/pool.cpp - the threads that run blocks.
#include "cpu/pool.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <immintrin.h>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

namespace kernix::cpu {
namespace {

/// Pauses before a thread that waits goes to sleep: some 20 us, about what waking it up costs.
constexpr int spin_limit = 600;

unsigned usable_cpus() {
  if (const char *text = std::getenv("KERNIX_NUM_THREADS")) {
    char *end = nullptr;
    long value = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && value > 0)
      return static_cast<unsigned>(std::min(value, 1024L));
    std::fprintf(stderr, "kernix: KERNIX_NUM_THREADS: expected a number of threads, got '%s', which has no effect\n",
                 text);
  }
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());
}

/// One call of run_parallel. Lives on the caller's stack; listed in the pool while it may need helpers.
struct Job {
  explicit Job(const ParallelWork &work, unsigned threads) : work(work), chunk(length(work, threads)) {}

  static uint64_t length(const ParallelWork &work, unsigned threads) {
    if (threads == 1)
      return work.count;
    uint64_t ranges = uint64_t{work.ranges_per_thread} * threads;
    return (work.count + ranges - 1) / ranges;
  }

  /// Runs ranges until none is left.
  void help() {
    if (!work.prepare(work.context))
      return;
    for (;;) {
      uint64_t first = next.fetch_add(chunk, std::memory_order_relaxed);
      if (first >= work.count)
        return;
      uint64_t last = std::min(first + chunk, work.count);
      work.run(work.context, first, last);
      done.fetch_add(last - first, std::memory_order_relaxed);
    }
  }
  bool exhausted() const { return next.load(std::memory_order_relaxed) >= work.count; }

  const ParallelWork &work;
  const uint64_t chunk;
  std::atomic<uint64_t> next{0};
  std::atomic<uint64_t> done{0};
  std::atomic<int> helpers{0}; // changed under the pool's mutex
};

class Pool {
public:
  explicit Pool(unsigned threads) : threads_(threads) {}

  bool run(const ParallelWork &work) {
    Job job(work, threads_);
    if (work.count > 1 && threads_ > 1)
      offer(job);
    job.help();
    withdraw(job);
    return job.done.load(std::memory_order_relaxed) == work.count;
  }
  unsigned threads() const { return threads_; }

private:
  void offer(Job &job) {
    uint64_t wanted = std::min<uint64_t>(job.work.count - 1, threads_ - 1);
    {
      std::lock_guard lock(mutex_);
      grow(wanted);
      jobs_.push_back(&job);
      open_.store(static_cast<int>(jobs_.size()), std::memory_order_release);
    }
    if (wanted == 1)
      work_.notify_one();
    else
      work_.notify_all();
  }

  /// Takes the job off the list and waits for those who still work on it.
  void withdraw(Job &job) {
    remove(job);
    for (int spin = 0; spin != spin_limit && job.helpers.load(std::memory_order_acquire) != 0; ++spin)
      _mm_pause();
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return job.helpers.load(std::memory_order_acquire) == 0; });
  }

  void remove(Job &job) {
    std::lock_guard lock(mutex_);
    std::erase(jobs_, &job);
    open_.store(static_cast<int>(jobs_.size()), std::memory_order_release);
  }

  /// Starts threads up to `wanted`; with fewer, the work is done by fewer. Called under the mutex.
  void grow(uint64_t wanted) {
    try {
      for (; started_ < wanted; ++started_)
        std::thread([this] { serve(); }).detach();
    } catch (const std::system_error &) {
      return;
    }
  }

  [[noreturn]] void serve() {
    for (;;) {
      for (int spin = 0; spin != spin_limit && open_.load(std::memory_order_acquire) == 0; ++spin)
        _mm_pause();
      Job *job = take();
      job->help();
      leave(*job);
    }
  }

  Job *take() {
    std::unique_lock lock(mutex_);
    work_.wait(lock, [&] { return !jobs_.empty(); });
    Job *job = jobs_.front();
    // Several jobs: the next one for the next thread.
    std::rotate(jobs_.begin(), jobs_.begin() + 1, jobs_.end());
    job->helpers.fetch_add(1, std::memory_order_relaxed);
    return job;
  }

  void leave(Job &job) {
    bool last;
    {
      std::lock_guard lock(mutex_);
      // Nothing is left in it, or this thread cannot take part: nobody else needs to look at it.
      std::erase(jobs_, &job);
      open_.store(static_cast<int>(jobs_.size()), std::memory_order_release);
      last = job.helpers.fetch_sub(1, std::memory_order_release) == 1;
    }
    if (last)
      idle_.notify_all(); // not touching the job, which may be gone
  }

  const unsigned threads_;
  std::mutex mutex_;
  std::condition_variable work_, idle_;
  std::vector<Job *> jobs_;
  std::atomic<int> open_{0};
  uint64_t started_ = 0;
};

std::atomic<Pool *> the_pool{nullptr};

/// A forked child has none of the threads. The old pool stays where it is: its mutex may be locked.
void forget_pool() { the_pool.store(nullptr, std::memory_order_relaxed); }

/// Never destroyed: its threads run until the process ends.
Pool &pool() {
  Pool *current = the_pool.load(std::memory_order_acquire);
  if (current)
    return *current;
  static const int registered = pthread_atfork(nullptr, nullptr, forget_pool);
  (void)registered;
  auto *made = new Pool(usable_cpus());
  if (the_pool.compare_exchange_strong(current, made, std::memory_order_acq_rel))
    return *made;
  delete made;
  return *current;
}

} // namespace

bool run_parallel(const ParallelWork &work) { return pool().run(work); }

unsigned num_threads() { return pool().threads(); }

} // namespace kernix::cpu
