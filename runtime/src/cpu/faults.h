// cpu/faults.h - turns faults of kernels (stack overflow, bad address, division by zero) into errors of their launch.
#pragma once

namespace kernix::cpu {

/// Installs the handlers, once per process, and an alternative signal stack for the calling thread if it has none.
/// `KERNIX_CATCH_FAULTS=0` leaves all signals alone.
class FaultStack {
public:
  FaultStack();
  ~FaultStack();
  FaultStack(const FaultStack &) = delete;
  FaultStack &operator=(const FaultStack &) = delete;

private:
  void *memory_ = nullptr;
};

} // namespace kernix::cpu
