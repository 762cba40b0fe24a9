// kernix/error.h - the exception of kernix's C++ interfaces.
//
// Thrown by host-side helpers (Tensor, bounds checks, Module). One that leaves a bound function arrives at the caller
// as KernelError of the same kind.

#ifndef KERNIX_ERROR_H
#define KERNIX_ERROR_H

#include "kernix/abi.h"

#include <stdexcept>
#include <string>

namespace kernix {

class KernelError : public std::runtime_error {
public:
  explicit KernelError(const std::string &message, int status = KERNIX_ERROR_RUNTIME)
      : std::runtime_error(message), status_(status) {}

  /// A kernix_status other than KERNIX_OK.
  int status() const noexcept { return status_; }

private:
  int status_;
};

} // namespace kernix

#endif // KERNIX_ERROR_H
