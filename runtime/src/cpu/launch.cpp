// cpu/launch.cpp - kernel launches: checks, parameters, and running the blocks. Synchronous.
#include "cpu/launch.h"
#include "cpu/alone.h"
#include "cpu/error.h"
#include "cpu/executor.h"
#include "cpu/pool.h"
#include "cpu/race_check.h"
#include "cpu/registry.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <stdio_ext.h>
#include <vector>

namespace kernix::cpu {
namespace {

/// What `<<<...>>>` has pushed and the stub has not yet taken.
struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

cudaError_t check_dimensions(dim3 grid, dim3 block) {
  const unsigned blocks[] = {grid.x, grid.y, grid.z}, threads[] = {block.x, block.y, block.z};
  for (int axis = 0; axis != 3; ++axis)
    if (blocks[axis] == 0 || blocks[axis] > max_grid_dim[axis] || threads[axis] == 0 ||
        threads[axis] > max_block_dim[axis])
      return cudaErrorInvalidConfiguration;
  return uint64_t{block.x} * block.y * block.z > max_threads_per_block ? cudaErrorInvalidConfiguration : cudaSuccess;
}

cudaError_t check_shared(const KernelRecord &record, size_t dynamic_bytes) {
  size_t fixed = record.entry->kernel->static_shared_bytes;
  int opted_in = record.max_dynamic_shared.load(std::memory_order_relaxed);
  if (fixed > shared_bytes_per_block) // nvcc would have refused it
    return cudaErrorInvalidConfiguration;
  size_t limit = opted_in < 0 ? shared_bytes_per_block - fixed : static_cast<size_t>(opted_in);
  return dynamic_bytes > limit ? cudaErrorInvalidValue : cudaSuccess;
}

/// Addresses of the compiled function's parameters, from the list that CUDA has.
class Params {
public:
  Params(const kernix_cpu_kernel_entry &entry, void **args) {
    void **list = few_.data();
    if (entry.num_params > few_.size()) {
      many_ = std::make_unique<void *[]>(entry.num_params);
      list = many_.get();
    }
    for (uint64_t i = 0; i != entry.num_params; ++i) {
      const kernix_cpu_param &param = entry.params[i];
      list[i] = param.offset == KERNIX_CPU_PARAM_ADDRESS ? static_cast<void *>(&args[param.arg])
                                                         : static_cast<char *>(args[param.arg]) + param.offset;
    }
    list_ = list;
  }
  void *const *list() const { return list_; }

private:
  std::array<void *, 32> few_;
  std::unique_ptr<void *[]> many_;
  void *const *list_;
};

constexpr const char *no_memory = "no memory for the stacks or the shared memory of a block";

/// Pieces of a launch between which it is asked again whether it is alone.
constexpr uint64_t pieces_alone = 16;
constexpr uint64_t threads_of_piece = 16384; // at least

/// By this thread. True if no other launch with atomics was there at any time.
bool run_by_one(Launch &launch, uint64_t first, uint64_t last) {
  Executor &executor = Executor::current();
  if (!executor.prepare(launch)) {
    launch.fail(cudaErrorLaunchOutOfResources, no_memory);
    return false;
  }
  const uint64_t length = std::max((last - first) / pieces_alone, threads_of_piece / launch.num_threads());
  bool always_alone = true;
  while (first != last) {
    const uint64_t end = first + std::min(length, last - first);
    const Alone alone;
    executor.run(launch, first, end, alone ? launch.kernel->run_blocks_alone : launch.kernel->run_blocks);
    always_alone &= static_cast<bool>(alone);
    first = end;
  }
  return always_alone;
}

/// By this thread, without a word to others.
void run_here(Launch &launch, uint64_t first, uint64_t last) {
  Executor &executor = Executor::current();
  if (executor.prepare(launch))
    executor.run(launch, first, last, launch.kernel->run_blocks);
  else
    launch.fail(cudaErrorLaunchOutOfResources, no_memory);
}

/// By as many threads as there are.
void run_together(Launch &launch, uint64_t first, uint64_t last) {
  struct Context {
    Launch &launch;
    uint64_t first;
  } context = {launch, first};
  ParallelWork work;
  work.count = last - first;
  work.ranges_per_thread = launch.kernel->side_by_side ? 1 : 8;
  work.context = &context;
  work.prepare = [](void *of) { return Executor::current().prepare(static_cast<Context *>(of)->launch); };
  work.run = [](void *of, uint64_t begin, uint64_t end) {
    auto &[launch, first] = *static_cast<Context *>(of);
    Executor::current().run(launch, first + begin, first + end, launch.kernel->run_blocks);
  };
  if (!run_parallel(work))
    launch.fail(cudaErrorLaunchOutOfResources, no_memory);
}

void run_and_measure(Launch &launch, ThreadChoice &choice) {
  using Clock = std::chrono::steady_clock;
  const uint64_t blocks = launch.num_blocks(), by_one = ThreadChoice::measured_blocks(blocks);
  const auto start = Clock::now();
  const bool was_alone = run_by_one(launch, 0, by_one);
  const auto between = Clock::now();
  run_together(launch, by_one, blocks);
  const auto end = Clock::now();
  auto of_block = [](Clock::duration time, uint64_t blocks) {
    return std::chrono::duration<double>(time).count() / static_cast<double>(blocks);
  };
  if (was_alone)
    choice.measured(of_block(between - start, by_one), of_block(end - between, blocks - by_one));
}

cudaError_t run(Launch &launch, ThreadChoice *choice) {
  const AtomicsInUse use(launch.kernel->has_atomics != 0);
  const uint64_t blocks = launch.num_blocks();
  const bool can_add_plainly = launch.kernel->run_blocks_alone != nullptr;
  const bool one_thread = blocks == 1 || num_threads() == 1;
  if (can_add_plainly && !one_thread && choice && choice->shall_measure())
    run_and_measure(launch, *choice);
  else if (can_add_plainly && (one_thread || (choice && choice->prefers_one())))
    run_by_one(launch, 0, blocks);
  else if (one_thread)
    run_here(launch, 0, blocks);
  else
    run_together(launch, 0, blocks);
  order_after(&launch);
  // What kernels print comes before what anybody prints later, by whatever way.
  if (__fpending(stdout) != 0)
    std::fflush(stdout);
  if (!launch.failed())
    return cudaSuccess;
  return report_execution(launch.error(), "kernel " + readable_name(launch.kernel->name) + ": " + launch.message());
}

} // namespace

void Launch::fail(cudaError_t error, std::string message) {
  std::lock_guard lock(mutex_);
  if (failed_.load(std::memory_order_relaxed))
    return;
  error_ = error;
  message_ = std::move(message);
  failed_.store(true, std::memory_order_relaxed);
}

std::string readable_name(const char *mangled) {
  int status = 0;
  std::unique_ptr<char, void (*)(void *)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : mangled;
}

std::string place() {
  const kernix_cpu_state &state = kernix_cpu_current_state;
  char text[128];
  std::snprintf(text, sizeof text, "block (%u,%u,%u), thread (%u,%u,%u)", state.block_idx[0], state.block_idx[1],
                state.block_idx[2], state.thread_idx[0], state.thread_idx[1], state.thread_idx[2]);
  return text;
}

std::string deadlock_message(uint32_t at_barrier, uint32_t in_warp, uint32_t returned) {
  const uint32_t *block = kernix_cpu_current_state.block_idx;
  char text[256];
  std::snprintf(text, sizeof text,
                "deadlock in block (%u,%u,%u): no thread can go on; %u wait at a barrier, %u in warp functions for "
                "lanes that do not come, %u have returned",
                block[0], block[1], block[2], at_barrier, in_warp, returned);
  return text;
}

std::string wrong_mask_message(uint32_t lane, uint32_t mask) {
  char text[96];
  std::snprintf(text, sizeof text, "lane %u calls a warp function with mask 0x%08x, which does not name it", lane,
                mask);
  return text + (" (" + place() + ")");
}

} // namespace kernix::cpu

using namespace kernix::cpu;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream) {
  if (configurations.empty())
    return report(cudaErrorMissingConfiguration);
  const Configuration &last = configurations.back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t *>(stream) = last.stream;
  configurations.pop_back();
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared_bytes,
                             cudaStream_t stream) {
  (void)stream;
  KernelRecord *record = find_kernel(function);
  if (!record || !record->entry->kernel || record->entry->kernel->version != KERNIX_CPU_OBJECT_VERSION ||
      record->entry->kernel->num_params != record->entry->num_params)
    return report(cudaErrorInvalidDeviceFunction);
  cudaError_t error = check_dimensions(grid, block);
  if (error == cudaSuccess)
    error = check_shared(*record, shared_bytes);
  if (error != cudaSuccess)
    return report(error);
  Params params(*record->entry, args);
  Launch launch(record->entry->kernel, params.list(), grid, block, static_cast<uint32_t>(shared_bytes));
  return run(launch, &record->choice);
}

int kernix_cpu_call(void (*function)(void *argument), void *argument, const char *name) {
  struct Call {
    void (*function)(void *);
    void *argument;
  } call = {function, argument};
  void *params[] = {&call};
  const kernix_cpu_kernel kernel = {
      KERNIX_CPU_OBJECT_VERSION, 1, name, 0, 0, 0, 0, /*has_atomics=*/1, 0, nullptr, nullptr, [](void *const *params) {
        const Call &call = *static_cast<Call *>(params[0]);
        call.function(call.argument);
      }};
  Launch launch(&kernel, params, dim3(1), dim3(1), 0);
  return run(launch, nullptr);
}
