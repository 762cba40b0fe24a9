// cpu/pool.h - the threads that run blocks.
//
// One pool for the process. The calling thread works too, so a call always makes progress whatever the pool is doing,
// and several host threads may call at once.
#pragma once

#include <cstdint>

namespace kernix::cpu {

/// Work of `count` items, done in ranges.
struct ParallelWork {
  uint64_t count;
  unsigned ranges_per_thread; ///< more of them are better shared out, fewer run longer
  /// Called once by each thread before its first range; false: this thread cannot take part.
  bool (*prepare)(void *context);
  void (*run)(void *context, uint64_t first, uint64_t last);
  void *context;
};

/// Runs all items and returns when they are done; false if the calling thread could not take part and no other had.
bool run_parallel(const ParallelWork &work);

/// Threads that work on one call: KERNIX_NUM_THREADS, or the CPUs that the process may use.
unsigned num_threads();

} // namespace kernix::cpu
