// cpu/error.cpp - the error state of a host thread, as the CUDA runtime API keeps it.
//
// Unlike on a GPU no error is sticky: the next launch starts afresh.
#include "cpu/error.h"
#include "kernix/abi.h"
#include <string>

namespace kernix::cpu {
namespace {

struct ErrorState {
  cudaError_t last = cudaSuccess;
  cudaError_t pending = cudaSuccess; // of execution, not yet reported by a call that waits
  cudaError_t explained = cudaSuccess;
  std::string explanation; // no array here: the thread-local block of this library is static and must stay small
};
thread_local ErrorState state;

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
    state.last = error;
  return error;
}

cudaError_t report_execution(cudaError_t error, const std::string &message) noexcept {
  state.pending = error;
  state.explained = error;
  state.explanation = std::string(plain_text(error)) + ": " + message;
  kernix_set_error(KERNIX_ERROR_RUNTIME, "%s", state.explanation.c_str());
  return report(error);
}

cudaError_t wait_result() noexcept {
  cudaError_t error = state.pending;
  state.pending = cudaSuccess;
  return report(error);
}

} // namespace kernix::cpu

using namespace kernix::cpu;

cudaError_t cudaGetLastError() {
  cudaError_t error = state.last;
  state.last = cudaSuccess;
  state.pending = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return state.last; }

const char *cudaGetErrorString(cudaError_t error) {
  return error != cudaSuccess && error == state.explained ? state.explanation.c_str() : plain_text(error);
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
