// cpu/device_runtime.cpp - the functions of device_runtime.h. The geometry functions have no body: the plugin replaces
// their calls.
#include "cpu/device_api.h"
#include "cpu/executor.h"
#include <ctime>
#include <x86intrin.h>

using namespace kernix::cpu;

namespace {

/// The scheduler of the running block; null for a device function that the host has called, which is alone. The plugin
/// runs every kernel that gets here as fibers.
Scheduler *scheduler() {
  Scheduler *found = Executor::current().scheduler();
  if (!found && Executor::running())
    Executor::current().fail(cudaErrorLaunchFailure, "a thread that was compiled not to wait for others does");
  return found;
}

} // namespace

void kernix_cpu_run_alone(unsigned shared_bytes) { Executor::current().run_alone(shared_bytes); }

void kernix_cpu_barrier() {
  if (Scheduler *block = scheduler())
    block->barrier(KERNIX_CPU_REDUCE_COUNT, 0);
}

int kernix_cpu_barrier_reduce(int op, int predicate) {
  Scheduler *block = scheduler();
  return block ? block->barrier(op, predicate) : predicate != 0;
}

void kernix_cpu_warp_sync(unsigned mask) {
  if (Scheduler *block = scheduler())
    block->warp(Wait::warp_sync, mask, 0, 0);
}

__UINT64_TYPE__ kernix_cpu_warp_shuffle(unsigned mask, __UINT64_TYPE__ value, int source_lane) {
  Scheduler *block = scheduler();
  return block ? block->warp(Wait::warp_shuffle, mask, value, source_lane) : value;
}

unsigned kernix_cpu_warp_ballot(unsigned mask, int predicate) {
  Scheduler *block = scheduler();
  return block ? static_cast<unsigned>(block->warp(Wait::warp_ballot, mask, predicate != 0, 0)) : predicate != 0;
}

unsigned kernix_cpu_warp_match(unsigned mask, __UINT64_TYPE__ value) {
  Scheduler *block = scheduler();
  return block ? static_cast<unsigned>(block->warp(Wait::warp_match, mask, value, 0)) : 1;
}

unsigned kernix_cpu_active_mask() {
  Scheduler *block = scheduler();
  return block ? block->active_mask(__builtin_return_address(0)) : 1;
}

void kernix_cpu_assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
  std::string message = std::string(file) + ":" + std::to_string(line) + ": " + (function ? function : "") +
                        ": assertion `" + expression + "' failed (" + place() + ")";
  Executor::current().fail(cudaErrorAssert, std::move(message));
}

void kernix_cpu_trap() { Executor::current().fail(cudaErrorLaunchFailure, "trap (" + place() + ")"); }

void kernix_cpu_end(const char *called) {
  Executor::current().fail(cudaErrorLaunchFailure,
                           std::string(called) + " was called: no kernel throws or ends the process (" + place() + ")");
}

__UINT64_TYPE__ kernix_cpu_launch_number() { return Executor::current().launch_number(); }

long long kernix_cpu_clock64() { return static_cast<long long>(__rdtsc()); }

void kernix_cpu_nanosleep(unsigned nanoseconds) {
  if (Scheduler *running = Executor::current().scheduler()) {
    running->yield();
    return;
  }
  timespec time = {0, static_cast<long>(nanoseconds % 1000000000u)};
  nanosleep(&time, nullptr);
}
