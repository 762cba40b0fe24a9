// cpu/alone.cpp - whether one host thread is the only one that runs a kernel with atomic operations.
//
// Of a launch that begins (raises `launches`, then reads `alone`) and a piece that begins (raises `alone`, then reads
// `launches`), at least one sees the other: all four are sequentially consistent.
#include "cpu/alone.h"
#include <atomic>
#include <cstdint>
#include <immintrin.h>
#include <pthread.h>
#include <thread>

namespace kernix::cpu {
namespace {

std::atomic<uint32_t> launches{0};
/// Pieces that run alone, or ask whether they may. A count: of two that ask, the one that gives up must not take the
/// mark of the other away.
std::atomic<uint32_t> alone{0};

/// A forked child has one thread, which runs no kernel: whatever was counted is not there.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  launches.store(0, std::memory_order_relaxed);
  alone.store(0, std::memory_order_relaxed);
});

} // namespace

AtomicsInUse::AtomicsInUse(bool has_atomics) : counts_(has_atomics) {
  if (!counts_)
    return;
  launches.fetch_add(1, std::memory_order_seq_cst);
  for (int round = 0; alone.load(std::memory_order_seq_cst) != 0; ++round)
    if (round < 100)
      _mm_pause();
    else
      std::this_thread::yield();
}

AtomicsInUse::~AtomicsInUse() {
  if (counts_)
    launches.fetch_sub(1, std::memory_order_release);
}

Alone::Alone() : is_alone_(launches.load(std::memory_order_relaxed) == 1) {
  if (!is_alone_)
    return;
  alone.fetch_add(1, std::memory_order_seq_cst);
  is_alone_ = launches.load(std::memory_order_seq_cst) == 1;
  if (!is_alone_)
    alone.fetch_sub(1, std::memory_order_release);
}

Alone::~Alone() {
  if (is_alone_)
    alone.fetch_sub(1, std::memory_order_release);
}

} // namespace kernix::cpu
