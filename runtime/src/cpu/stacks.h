// cpu/stacks.h - stacks for fibers, each with a guard page below it.
#pragma once

#include <cstddef>
#include <vector>

namespace kernix::cpu {

class StackPool {
public:
  ~StackPool() { release(); }

  /// Has at least `count` stacks of the present size; false if the system refuses them.
  bool reserve(std::size_t count);

  /// The high end of a stack, where it begins.
  void *top(std::size_t index) const { return tops_[index]; }
  std::size_t size() const { return size_; }

  /// True if address is in a page below one of the stacks.
  bool is_guard(const void *address) const;

private:
  void release();

  std::vector<char *> tops_;
  std::size_t size_ = 0; // bytes of each, without the guard page
};

/// Bytes of a fiber's stack: KERNIX_STACK_SIZE, or a default; more if cudaDeviceSetLimit(cudaLimitStackSize) asks for
/// it.
std::size_t stack_size();
void set_stack_limit(std::size_t bytes_on_a_gpu);
std::size_t stack_limit();

} // namespace kernix::cpu
