// cpu/fibers.h - runs the threads of a block that wait for each other, each on a stack of its own.
//
// All fibers of a block run on one host thread, in turn, and only change at barriers and warp functions. A thread that
// spins until another one of its block writes something therefore never ends; CUDA does not promise such programs
// anything before compute capability 7.0 either.
#pragma once

#include "cpu/launch.h"
#include "cpu/stacks.h"
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <vector>

namespace kernix::cpu {

enum class Wait : uint8_t { none, barrier, warp_sync, warp_shuffle, warp_ballot, warp_match, active_mask, finished };

struct Fiber {
  boost::context::detail::fcontext_t context;
  uint32_t thread_idx[3];
  uint32_t linear;
  Wait wait;
  int predicate;   // barrier
  uint32_t mask;   // warp functions
  int source_lane; // warp_shuffle
  uint64_t value;  // warp functions: the caller's value
  uint64_t result;
  const void *site; // active_mask: which call it is
  void *checked;    // with ThreadSanitizer: its fiber
};

class Scheduler {
public:
  /// Makes stacks for blocks of `threads`; false if the system refuses them.
  bool reserve(uint32_t threads);

  bool is_guard(const void *address) const { return stacks_.is_guard(address); }

  /// Runs one block to its end, or until the launch fails.
  void run_block(Launch &launch);

  /// Leaves the running block for good. Called on a fiber, when the launch has failed.
  [[noreturn]] void abandon_block();

  int barrier(int op, int predicate);
  uint64_t warp(Wait kind, uint32_t mask, uint64_t value, int source_lane);
  uint32_t active_mask(const void *site);
  /// Lets the other fibers run.
  void yield();

private:
  struct Warp {
    uint32_t live = 0;     // lanes that have not returned
    uint32_t waiting = 0;  // in a warp function other than active_mask
    uint32_t active = 0;   // in active_mask
    uint32_t ready = 0;    // lanes that run or could run
    void *order = nullptr; // with ThreadSanitizer: the next __syncwarp
  };

  static void enter(boost::context::detail::transfer_t from);
  void begin_check();
  void end_check();
  void start(Fiber &fiber);
  void switch_to(Fiber &fiber);
  void suspend();
  void finish();
  void wake(Fiber &fiber);
  void release_barrier();
  void block_lane(Fiber &fiber);
  bool try_warp(Warp &warp, uint32_t first_thread, Fiber &any);
  void recheck_warp(uint32_t index);
  void resolve_active(uint32_t index);
  void report_deadlock();

  Launch *launch_ = nullptr;
  StackPool stacks_;
  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  std::vector<Fiber *> queue_; // ring of those that can run
  std::size_t queue_head_ = 0, queue_size_ = 0;
  uint32_t next_start_ = 0; // fibers from here on have not begun
  uint32_t count_ = 0, live_ = 0, arrived_ = 0;
  int true_predicates_ = 0;
  int barrier_total_ = 0, barrier_arrived_ = 0; // of the barrier that opened last
  void *barrier_order_ = nullptr;               // with ThreadSanitizer: the next barrier
  Fiber *running_ = nullptr;
  Fiber main_{};
};

} // namespace kernix::cpu
