// xla/ffi/api/ffi.h - for sources that include XLA's header and use nothing of it but xla::ffi::Error between functions
// of their own, as kernels of brainevent do. Found only where no other header of this name is; with an include path to
// XLA's own, that one is taken. Handlers are not written by hand here: kernix makes them.

#ifndef KERNIX_FALLBACK_XLA_FFI_H
#define KERNIX_FALLBACK_XLA_FFI_H

#include <string>
#include <utility>

namespace xla {
namespace ffi {

/// Success, or a failure with its text.
class Error {
public:
  Error() = default;

  static Error Success() { return {}; }
  static Error Internal(std::string message) { return Error(std::move(message)); }
  static Error InvalidArgument(std::string message) { return Error(std::move(message)); }

  bool success() const { return !failed_; }
  bool failure() const { return failed_; }
  const std::string &message() const { return message_; }

private:
  explicit Error(std::string message) : failed_(true), message_(std::move(message)) {}

  bool failed_ = false;
  std::string message_;
};

} // namespace ffi
} // namespace xla

#endif // KERNIX_FALLBACK_XLA_FFI_H
