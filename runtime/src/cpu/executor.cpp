// cpu/executor.cpp - what one host thread needs to run blocks: shared memory, and fibers if threads wait.
#include "cpu/executor.h"
#include "cpu/race_check.h"
#include "kernix/error.h"
#include <algorithm>
#include <cstdlib>
#include <memory>

__thread kernix_cpu_state kernix_cpu_current_state;

namespace kernix::cpu {
namespace {

constexpr std::size_t arena_alignment = 1024;

std::size_t align_up(std::size_t size, std::size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

/// In the arena: the unit's shared variables, dynamic shared memory, the threads' frames.
std::size_t dynamic_offset(const Launch &launch) { return align_up(launch.kernel->unit_shared_bytes, arena_alignment); }

std::size_t frame_offset(const Launch &launch) {
  return dynamic_offset(launch) + align_up(launch.dynamic_shared, arena_alignment);
}

std::size_t frame_size(const Launch &launch) {
  return std::size_t{launch.kernel->frame_bytes} * align_up(launch.num_threads(), 64);
}

/// Plain, so that a signal handler may read it.
__thread __attribute__((tls_model("initial-exec"))) Executor *running_executor;

} // namespace

Executor *Executor::running() { return running_executor; }

const void *Executor::kernel_code() const {
  const kernix_cpu_kernel &kernel = *launch_->kernel;
  return kernel.run_blocks ? reinterpret_cast<const void *>(kernel.run_blocks)
                           : reinterpret_cast<const void *>(kernel.run_thread);
}

Executor &Executor::current() {
  // On the heap: see error_state() in error.cpp.
  thread_local std::unique_ptr<Executor> executor = std::make_unique<Executor>();
  return *executor;
}

Executor::~Executor() { free_arena(); }

void Executor::free_arena() {
  if (arena_ && checks_races())
    munmap(arena_, arena_size_);
  else
    std::free(arena_);
}

bool Executor::reserve_arena(std::size_t size) {
  if (size > arena_size_) {
    free_arena();
    arena_ = static_cast<char *>(checks_races() ? new_pages(nullptr, align_up(size, 4096))
                                                : std::aligned_alloc(arena_alignment, size));
    arena_size_ = arena_ ? size : 0;
  }
  return arena_ != nullptr;
}

bool Executor::prepare(const Launch &launch) {
  return reserve_arena(frame_offset(launch) + frame_size(launch) + arena_alignment) &&
         (launch.kernel->run_blocks || scheduler_.reserve(launch.num_threads()));
}

void Executor::run_alone(std::size_t shared_bytes) {
  if (launch_)
    return;
  const std::size_t size = align_up(shared_bytes, arena_alignment);
  if (!reserve_arena(size + shared_bytes_per_block))
    fail(cudaErrorMemoryAllocation, "no memory for the shared memory of a device function");
  kernix_cpu_state &state = kernix_cpu_current_state;
  std::fill_n(state.thread_idx, 3, 0U);
  std::fill_n(state.block_idx, 3, 0U);
  std::fill_n(state.block_dim, 3, 1U);
  std::fill_n(state.grid_dim, 3, 1U);
  state.dynamic_shared_size = shared_bytes_per_block; // nobody says how much
  state.shared = arena_;
  state.dynamic_shared = arena_ + size;
}

void Executor::set_up_state(const Launch &launch) {
  kernix_cpu_state &state = kernix_cpu_current_state;
  const unsigned block[] = {launch.block.x, launch.block.y, launch.block.z};
  const unsigned grid[] = {launch.grid.x, launch.grid.y, launch.grid.z};
  std::copy(block, block + 3, state.block_dim);
  std::copy(grid, grid + 3, state.grid_dim);
  state.dynamic_shared_size = launch.dynamic_shared;
  state.shared = arena_;
  state.dynamic_shared = arena_ + dynamic_offset(launch);
  state.frame = arena_ + frame_offset(launch);
}

void Executor::run(Launch &launch, uint64_t first, uint64_t last, RunBlocks run_blocks) {
  if (launch.failed())
    return;
  set_up_state(launch);
  launch_ = &launch;
  running_executor = this;
  if (!run_blocks)
    run_fiber_blocks(launch, first, last);
  // No object with a destructor lives between here and the kernel.
  else if (_setjmp(escape_) == 0)
    run_blocks(launch.params, &kernix_cpu_current_state, first, last);
  running_executor = nullptr;
  launch_ = nullptr;
}

void Executor::run_fiber_blocks(Launch &launch, uint64_t first, uint64_t last) {
  kernix_cpu_state &state = kernix_cpu_current_state;
  in_fibers_ = true;
  for (uint64_t linear = first; linear != last && !launch.failed(); ++linear) {
    if (checks_races())
      new_pages(arena_, arena_size_);
    state.block_idx[0] = static_cast<uint32_t>(linear % launch.grid.x);
    state.block_idx[1] = static_cast<uint32_t>(linear / launch.grid.x % launch.grid.y);
    state.block_idx[2] = static_cast<uint32_t>(linear / launch.grid.x / launch.grid.y);
    scheduler_.run_block(launch);
  }
  in_fibers_ = false;
}

void Executor::fail_from_signal(cudaError_t error, const char *message) {
  // Loops do not keep count of the thread they are at.
  fail(error, in_fibers_ ? std::string(message) + " (" + place() + ")" : message);
}

void Executor::fail(cudaError_t error, std::string message) {
  if (!launch_) // a device function that the host has called
    throw KernelError(message, KERNIX_ERROR_RUNTIME);
  launch_->fail(error, std::move(message));
  // std::string's destructor would be skipped by the jump.
  std::string().swap(message);
  if (in_fibers_)
    scheduler_.abandon_block();
  _longjmp(escape_, 1);
}

} // namespace kernix::cpu
