// cpu/phases.cpp - who may go on, in blocks that run phase by phase.
//
// The compiled kernel runs all threads of a block from wait to wait by itself as long as they stay together. It comes
// here when they do not, or when what they wait for is more than a barrier. The rules are those of fibers.cpp.
#include "cpu/device_api.h"
#include "cpu/executor.h"
#include <algorithm>
#include <bit>

namespace kernix::cpu {
namespace {

class Frames {
public:
  Frames(char *frame, uint32_t threads, const uint8_t *waits)
      : threads_(threads), waits_(waits), frame_(frame), rounded_((threads + 63) & ~63u),
        result_(slot<uint64_t>(KERNIX_CPU_FRAME_RESULT)), value_(slot<uint64_t>(KERNIX_CPU_FRAME_VALUE)),
        next_(slot<uint32_t>(KERNIX_CPU_FRAME_NEXT)), ready_(slot<uint32_t>(KERNIX_CPU_FRAME_READY)),
        mask_(slot<uint32_t>(KERNIX_CPU_FRAME_MASK)), source_(slot<int32_t>(KERNIX_CPU_FRAME_SOURCE)) {}

  int resolve() {
    std::fill(ready_, ready_ + threads_, 0u);
    live_ = at_barrier_ = in_warp_ = num_ready_ = 0;
    // Often one warp goes on alone; the others cost one look each.
    for (uint32_t first = 0; first < threads_; first += warp_size)
      if (!all_returned(first))
        for (uint32_t thread = first; thread != std::min(first + warp_size, threads_); ++thread)
          count(thread);
    if (live_ == 0)
      return 0;
    if (at_barrier_ == live_)
      open_barrier();
    for (uint32_t first = 0; in_warp_ != 0 && first < threads_; first += warp_size)
      if (!all_returned(first))
        resolve_warp(first);
    if (num_ready_ == 0)
      Executor::current().fail(cudaErrorLaunchFailure, deadlock_message(at_barrier_, in_warp_, threads_ - live_));
    // All that have not returned are the first ones, and go on from one place.
    bool together = num_ready_ == live_ && !returned(0) &&
                    std::all_of(next_, next_ + live_, [&](uint32_t cut) { return cut == next_[0]; });
    return together ? -static_cast<int>(live_) - 1 : static_cast<int>(num_ready_);
  }

private:
  template <class T> T *slot(unsigned offset) const {
    return reinterpret_cast<T *>(frame_ + static_cast<size_t>(offset) * rounded_);
  }
  uint8_t wait(uint32_t thread) const { return waits_[next_[thread]]; }
  bool returned(uint32_t thread) const { return next_[thread] == KERNIX_CPU_RETURNED; }

  bool all_returned(uint32_t first) const {
    uint32_t left = 0;
    for (uint32_t thread = first; thread != std::min(first + warp_size, threads_); ++thread)
      left |= next_[thread] ^ KERNIX_CPU_RETURNED;
    return left == 0;
  }

  void let_go(uint32_t thread) {
    ready_[thread] = 1;
    ++num_ready_;
  }

  void count(uint32_t thread) {
    if (returned(thread))
      return;
    ++live_;
    uint8_t kind = wait(thread);
    if (kind == KERNIX_CPU_WAIT_NOTHING)
      let_go(thread);
    else if (kind == KERNIX_CPU_WAIT_BARRIER || kind == KERNIX_CPU_WAIT_BARRIER_REDUCE)
      ++at_barrier_;
    else
      ++in_warp_;
  }

  /// All threads that have not returned are at a barrier, whichever.
  void open_barrier() {
    uint32_t hold = 0;
    for (uint32_t thread = 0; thread != threads_; ++thread)
      hold += !returned(thread) && wait(thread) == KERNIX_CPU_WAIT_BARRIER_REDUCE && value_[thread] != 0;
    for (uint32_t thread = 0; thread != threads_; ++thread) {
      if (returned(thread))
        continue;
      let_go(thread);
      if (wait(thread) != KERNIX_CPU_WAIT_BARRIER_REDUCE)
        continue;
      int32_t op = source_[thread];
      result_[thread] = op == KERNIX_CPU_REDUCE_COUNT ? hold : op == KERNIX_CPU_REDUCE_AND ? hold == live_ : hold != 0;
    }
  }

  void resolve_warp(uint32_t first) {
    uint32_t lanes = std::min(threads_ - first, warp_size), live = 0, waiting = 0;
    for (uint32_t lane = 0; lane != lanes; ++lane) {
      uint32_t thread = first + lane;
      if (returned(thread))
        continue;
      live |= 1u << lane;
      if (wait(thread) < KERNIX_CPU_WAIT_WARP_SYNC)
        continue;
      waiting |= 1u << lane;
      if ((mask_[thread] >> lane & 1) == 0)
        Executor::current().fail(cudaErrorLaunchFailure, wrong_mask_message(lane, mask_[thread]));
    }
    while (waiting != 0) {
      uint32_t thread = first + static_cast<uint32_t>(std::countr_zero(waiting));
      uint32_t group = mask_[thread] & live;
      if (complete(first, group, thread)) {
        answer(first, group, wait(thread));
        waiting &= ~group;
      } else {
        // Only this one: others of its group may wait with other masks, and theirs may be complete.
        waiting &= waiting - 1;
      }
    }
  }

  bool complete(uint32_t first, uint32_t group, uint32_t thread) const {
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
      uint32_t other = first + static_cast<uint32_t>(std::countr_zero(rest));
      if (ready_[other] != 0 || wait(other) != wait(thread) || mask_[other] != mask_[thread])
        return false;
    }
    return true;
  }

  void answer(uint32_t first, uint32_t group, uint8_t kind) {
    uint32_t ballot = 0;
    for (uint32_t rest = group; rest != 0; rest &= rest - 1)
      if (value_[first + static_cast<uint32_t>(std::countr_zero(rest))] != 0)
        ballot |= rest & -rest;
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
      uint32_t thread = first + static_cast<uint32_t>(std::countr_zero(rest));
      let_go(thread);
      if (kind == KERNIX_CPU_WAIT_WARP_BALLOT) {
        result_[thread] = ballot;
      } else if (kind == KERNIX_CPU_WAIT_WARP_SHUFFLE) {
        uint32_t source = static_cast<uint32_t>(source_[thread]);
        result_[thread] = source < warp_size && (group >> source & 1) != 0 ? value_[first + source] : value_[thread];
      } else if (kind == KERNIX_CPU_WAIT_WARP_MATCH) {
        result_[thread] = 0;
        for (uint32_t others = group; others != 0; others &= others - 1)
          if (value_[first + static_cast<uint32_t>(std::countr_zero(others))] == value_[thread])
            result_[thread] |= others & -others;
      }
    }
  }

  const uint32_t threads_;
  const uint8_t *const waits_;
  char *const frame_;
  const uint32_t rounded_;
  uint64_t *const result_, *const value_;
  uint32_t *const next_, *const ready_, *const mask_;
  int32_t *const source_;
  uint32_t live_ = 0, at_barrier_ = 0, in_warp_ = 0, num_ready_ = 0;
};

} // namespace
} // namespace kernix::cpu

int kernix_cpu_resolve_waits(char *frame, uint32_t threads, const uint8_t *waits) {
  return kernix::cpu::Frames(frame, threads, waits).resolve();
}
