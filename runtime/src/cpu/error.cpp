// cpu/error.cpp - the error state of a host thread, as the CUDA runtime API keeps it.
//
// Unlike on a GPU no error is sticky: the next launch starts afresh.
#include "cpu/error.h"
#include "kernix/abi.h"
#include <cstdio>
#include <memory>

namespace kernix::cpu {
namespace {

struct ErrorState {
  cudaError_t last = cudaSuccess;
  cudaError_t pending = cudaSuccess; // of execution, not yet reported by a call that waits
  cudaError_t explained = cudaSuccess;
  char explanation[1024] = "";
};

/// Null until the thread has its first error, so that those who ask and have none are answered at once.
__thread __attribute__((tls_model("initial-exec"))) ErrorState *known_state;

/// On the heap: the module has initial-exec variables, so that all its thread-local storage is taken from the little
/// that the process keeps for libraries loaded late.
ErrorState &error_state() {
  struct Owner {
    std::unique_ptr<ErrorState> state = std::make_unique<ErrorState>();
    Owner() { known_state = state.get(); }
    ~Owner() { known_state = nullptr; }
  };
  thread_local Owner owner;
  return *owner.state;
}

const char *plain_text(cudaError_t error) noexcept {
  switch (error) {
#define KERNIX_CASE(name, number, text)                                                                                \
  case name:                                                                                                           \
    return text;
    KERNIX_CPU_ERRORS(KERNIX_CASE)
#undef KERNIX_CASE
  }
  return "unrecognized error code";
}

} // namespace

cudaError_t report(cudaError_t error) noexcept {
  if (error != cudaSuccess)
    error_state().last = error;
  return error;
}

cudaError_t report_execution(cudaError_t error, const std::string &message) noexcept {
  error_state().pending = error;
  error_state().explained = error;
  std::snprintf(error_state().explanation, sizeof error_state().explanation, "%s: %s", plain_text(error),
                message.c_str());
  kernix_set_error(KERNIX_ERROR_RUNTIME, "%s", error_state().explanation);
  return report(error);
}

cudaError_t wait_result() noexcept {
  cudaError_t error = error_state().pending;
  error_state().pending = cudaSuccess;
  return report(error);
}

} // namespace kernix::cpu

using namespace kernix::cpu;

cudaError_t cudaGetLastError() {
  if (!known_state)
    return cudaSuccess;
  cudaError_t error = error_state().last;
  error_state().last = cudaSuccess;
  error_state().pending = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return error_state().last; }

const char *cudaGetErrorString(cudaError_t error) {
  return error != cudaSuccess && error == error_state().explained ? error_state().explanation : plain_text(error);
}

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define KERNIX_CASE(name, number, text)                                                                                \
  case name:                                                                                                           \
    return #name;
    KERNIX_CPU_ERRORS(KERNIX_CASE)
#undef KERNIX_CASE
  }
  return "unrecognized error code";
}
