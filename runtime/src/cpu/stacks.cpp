// cpu/stacks.cpp - stacks for fibers, each with a guard page below it.
//
// The memory is only reserved; pages come into being when a fiber touches them, and stay for the next launch.
#include "cpu/stacks.h"
#include <algorithm>
#include <atomic>
#include <sys/mman.h>

namespace kernix::cpu {
namespace {

constexpr std::size_t guard_size = 4096;
constexpr std::size_t default_stack_size = 256 * 1024;
constexpr std::size_t default_limit = 1024; // CUDA's

std::atomic<std::size_t> limit{default_limit};

} // namespace

std::size_t stack_limit() { return limit.load(std::memory_order_relaxed); }

void set_stack_limit(std::size_t bytes_on_a_gpu) { limit.store(bytes_on_a_gpu, std::memory_order_relaxed); }

std::size_t stack_size() {
  // Frames are larger here: addresses have 64 bits and libm runs on the same stack.
  std::size_t wanted = std::max(default_stack_size, 4 * stack_limit());
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

void StackPool::release() {
  for (char *top : tops_)
    munmap(top - size_ - guard_size, size_ + guard_size);
  tops_.clear();
}

} // namespace kernix::cpu
