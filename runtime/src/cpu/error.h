// cpu/error.h - the error state of a host thread, as the CUDA runtime API keeps it.
#pragma once

#include "cpu/api.h"
#include <string>

namespace kernix::cpu {

/// Remembers an error for cudaGetLastError and returns it; cudaSuccess changes nothing.
cudaError_t report(cudaError_t error) noexcept;

/// Remembers that a kernel failed while it ran. Besides cudaGetLastError, the next call that waits for the device
/// reports it, once. `message` becomes what cudaGetErrorString and kernix_last_error say.
cudaError_t report_execution(cudaError_t error, const std::string &message) noexcept;

/// What a call that waits for the device returns.
cudaError_t wait_result() noexcept;

} // namespace kernix::cpu
