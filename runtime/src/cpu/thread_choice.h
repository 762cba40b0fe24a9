// cpu/thread_choice.h - whether a kernel is done sooner by one thread with plain additions or by all with atomic ones.
//
// Both give the same sums. Which is faster depends on what else the kernel does and on the machine, so it is measured:
// now and then one thread runs the first few blocks of a launch, and all threads run the rest.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace kernix::cpu {

/// Of one kernel. Launches of several host threads may use it at once; what they write is never more than advice.
class ThreadChoice {
public:
  /// Counts a launch. True for the 1st, 2nd, 4th, 8th, ... and later for each 256th: this one measures.
  bool shall_measure() {
    uint32_t count = launches_.fetch_add(1, std::memory_order_relaxed) + 1;
    return std::has_single_bit(count) || count % 256 == 0;
  }
  /// Blocks of a launch that one thread runs while that is measured.
  static uint64_t measured_blocks(uint64_t blocks) { return (blocks + 63) / 64; }

  void measured(double time_of_block_alone, double time_of_block_together) {
    prefers_one_.store(time_of_block_alone < time_of_block_together, std::memory_order_relaxed);
  }
  bool prefers_one() const { return prefers_one_.load(std::memory_order_relaxed); }

private:
  std::atomic<uint32_t> launches_{0};
  std::atomic<bool> prefers_one_{false};
};

} // namespace kernix::cpu
