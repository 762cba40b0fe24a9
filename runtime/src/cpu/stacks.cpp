// cpu/stacks.cpp - stacks for fibers, each with a guard page below it.
//
// The memory is only reserved; pages come into being when a fiber touches them, and stay for the next launch.
#include "cpu/stacks.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <sys/mman.h>

namespace kernix::cpu {
namespace {

constexpr std::size_t guard_size = 4096;
// CUDA allows 512 KB of local memory per thread.
constexpr std::size_t default_stack_size = 1024 * 1024;
constexpr std::size_t default_limit = 1024; // CUDA's

std::atomic<std::size_t> limit{default_limit};

std::size_t wanted_size() {
  const char *text = std::getenv("KERNIX_STACK_SIZE");
  char *end = nullptr;
  unsigned long long value = text ? std::strtoull(text, &end, 10) : 0;
  // Below this not even printf has room.
  constexpr std::size_t smallest = 64 * 1024;
  return value != 0 && *end == '\0' ? std::max<std::size_t>(smallest, value) : default_stack_size;
}

} // namespace

std::size_t stack_limit() { return limit.load(std::memory_order_relaxed); }

void set_stack_limit(std::size_t bytes_on_a_gpu) { limit.store(bytes_on_a_gpu, std::memory_order_relaxed); }

std::size_t stack_size() {
  // Frames are larger here: addresses have 64 bits and libm runs on the same stack.
  static const std::size_t usual = wanted_size();
  std::size_t wanted = std::max(usual, 4 * stack_limit());
  return (wanted + guard_size - 1) / guard_size * guard_size;
}

bool StackPool::reserve(std::size_t count) {
  if (size_ != stack_size()) {
    release();
    size_ = stack_size();
  }
  while (tops_.size() < count) {
    std::size_t bytes = size_ + guard_size;
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    if (mprotect(memory, guard_size, PROT_NONE) != 0) {
      munmap(memory, bytes);
      return false;
    }
    tops_.push_back(static_cast<char *>(memory) + bytes);
  }
  return true;
}

bool StackPool::is_guard(const void *address) const {
  return std::any_of(tops_.begin(), tops_.end(), [&](const char *top) {
    const char *low = top - size_ - guard_size;
    return address >= low && address < low + guard_size;
  });
}

void StackPool::release() {
  for (char *top : tops_)
    munmap(top - size_ - guard_size, size_ + guard_size);
  tops_.clear();
}

} // namespace kernix::cpu
