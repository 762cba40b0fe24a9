// cpu/executor.h - what one host thread needs to run blocks: shared memory, and fibers if threads wait.
#pragma once

#include "cpu/faults.h"
#include "cpu/fibers.h"
#include "cpu/launch.h"
#include <csetjmp>
#include <cstddef>

namespace kernix::cpu {

class Executor {
public:
  /// The calling thread's.
  static Executor &current();

  ~Executor();

  /// Makes room for blocks of `launch`; false if the system refuses the memory.
  bool prepare(const Launch &launch);

  using RunBlocks = decltype(kernix_cpu_kernel::run_blocks);

  /// Runs the blocks first .. last-1 unless the launch has failed: by run_blocks, or as fibers if that is null.
  void run(Launch &launch, uint64_t first, uint64_t last, RunBlocks run_blocks);

  /// For a device function that the host calls: it is the only thread of a launch with this much shared memory. Does
  /// nothing where blocks run.
  void run_alone(std::size_t shared_bytes);

  /// Ends the running CUDA thread's launch; does not return. Throws a KernelError where none runs.
  [[noreturn]] void fail(cudaError_t error, std::string message);

  /// fail() for signal handlers, at a fault of the kernel's own code.
  [[noreturn]] void fail_from_signal(cudaError_t error, const char *message);

  /// The calling thread's while it runs blocks, else nullptr. Safe in signal handlers, as are the two below.
  static Executor *running();
  const void *kernel_code() const;
  bool is_guard(const void *address) const { return scheduler_.is_guard(address); }

  uint64_t launch_number() const { return launch_ ? launch_->number : 0; }

  /// The scheduler of the block that runs as fibers; nullptr if none does.
  Scheduler *scheduler() { return in_fibers_ ? &scheduler_ : nullptr; }

private:
  void free_arena();
  bool reserve_arena(std::size_t size);
  void set_up_state(const Launch &launch);
  void run_fiber_blocks(Launch &launch, uint64_t first, uint64_t last);

  Launch *launch_ = nullptr;
  bool in_fibers_ = false;
  std::jmp_buf escape_;
  char *arena_ = nullptr;
  std::size_t arena_size_ = 0;
  Scheduler scheduler_;
  FaultStack fault_stack_;
};

} // namespace kernix::cpu
