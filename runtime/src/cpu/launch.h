// cpu/launch.h - one launch, as the threads that run its blocks see it.
#pragma once

#include "cpu/api.h"
#include "kernix/cpu/object.h"
#include <atomic>
#include <mutex>
#include <string>

namespace kernix::cpu {

/// The limits of the device, those of a GPU of compute capability 9.0.
inline constexpr unsigned max_threads_per_block = 1024;
inline constexpr unsigned max_block_dim[3] = {1024, 1024, 64};
inline constexpr unsigned max_grid_dim[3] = {0x7fffffff, 65535, 65535};
inline constexpr unsigned shared_bytes_per_block = 48 * 1024;
inline constexpr unsigned shared_bytes_per_block_opt_in = 227 * 1024;
inline constexpr unsigned shared_bytes_per_multiprocessor = 228 * 1024;
inline constexpr unsigned threads_per_multiprocessor = 2048;
inline constexpr unsigned warp_size = 32;

class Launch {
public:
  Launch(const kernix_cpu_kernel *kernel, void *const *params, dim3 grid, dim3 block, uint32_t dynamic_shared)
      : kernel(kernel), params(params), grid(grid), block(block), dynamic_shared(dynamic_shared) {}

  const kernix_cpu_kernel *const kernel;
  void *const *const params;
  const dim3 grid, block;
  const uint32_t dynamic_shared;
  const uint64_t number = ++launches; ///< another one for each launch

  uint32_t num_threads() const { return block.x * block.y * block.z; }
  uint64_t num_blocks() const { return uint64_t{grid.x} * grid.y * grid.z; }

  /// Ends the launch: blocks that have not begun will not. The first call's error and message stay.
  void fail(cudaError_t error, std::string message);
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  cudaError_t error() const { return error_; }
  const std::string &message() const { return message_; }

private:
  static inline std::atomic<uint64_t> launches{0};
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  cudaError_t error_ = cudaSuccess;
  std::string message_;
};

/// The kernel's name as the source has it.
std::string readable_name(const char *mangled);

/// "block (1,0,0), thread (3,0,0)" of the running CUDA thread.
std::string place();

/// Why threads of the running block cannot go on.
std::string deadlock_message(uint32_t at_barrier, uint32_t in_warp, uint32_t returned);
std::string wrong_mask_message(uint32_t lane, uint32_t mask);

} // namespace kernix::cpu
