// brainevent/check.h - BE_CHECK and its relatives for host code: a check that fails is an exception, which arrives at
// the caller in Python as KernelError.
//
//   BE_CHECK(x.ndim() == 1) << "expected one axis, got " << x.ndim();
//   BE_CUDA_CHECK(cudaMemsetAsync(y.data_ptr(), 0, y.nbytes(), stream));

#ifndef BRAINEVENT_CHECK_H
#define BRAINEVENT_CHECK_H

#include "kernix/dtype.h"
#include "kernix/error.h"

#include "kernix/hide_macros.h"

#include <cstdio>
#include <string>
#include <type_traits>

namespace BE {

/// Thrown by BE_CHECK.
class CheckError : public kernix::KernelError {
public:
  using KernelError::KernelError;
};

/// Thrown by BE_CUDA_CHECK.
class CudaError : public kernix::KernelError {
public:
  using KernelError::KernelError;
};

namespace detail {

/// What is known of a failed check; the user's << adds to it.
class FailedCheck {
public:
  FailedCheck(const char *condition, const char *file, int line)
      : place_(std::string(file) + ":" + std::to_string(line)), condition_(condition) {}

  template <class T> FailedCheck &operator<<(const T &value) {
    if constexpr (std::is_same_v<T, bool>)
      text_ += value ? "true" : "false";
    else if constexpr (std::is_same_v<T, char>)
      text_ += value;
    else if constexpr (std::is_same_v<T, kernix::DType>)
      text_ += kernix::dtype_name(value);
    else if constexpr (std::is_enum_v<T>)
      text_ += std::to_string(static_cast<long long>(value));
    else if constexpr (std::is_integral_v<T>)
      text_ += std::to_string(value);
    else if constexpr (std::is_floating_point_v<T>)
      append_real(static_cast<double>(value));
    else if constexpr (std::is_convertible_v<const T &, const char *>)
      append(value);
    else
      text_ += value;
    return *this;
  }

  std::string message() const {
    return "BE_CHECK(" + condition_ + ") failed" + (text_.empty() ? "" : ": ") + text_ + " [" + place_ + "]";
  }

private:
  void append(const char *text) { text_ += text ? text : "(null)"; }
  void append_real(double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.9g", value);
    text_ += digits;
  }

  std::string place_, condition_, text_;
};

/// Its operator binds less than <<, so that the message is complete when it throws.
struct ThrowCheckError {
  [[noreturn]] void operator&(const FailedCheck &check) const { throw CheckError(check.message()); }
};

[[noreturn]] inline void throw_cuda_error(const char *what, const char *name, const char *expression, const char *file,
                                          int line) {
  throw CudaError(std::string(expression) + ": " + what + " (" + name + ") [" + file + ":" + std::to_string(line) +
                  "]");
}

} // namespace detail
} // namespace BE

#include "kernix/restore_macros.h"

/// An expression, which may be continued with <<.
#define BE_CHECK(...)                                                                                                  \
  (__VA_ARGS__) ? static_cast<void>(0)                                                                                 \
                : ::BE::detail::ThrowCheckError() & ::BE::detail::FailedCheck(#__VA_ARGS__, __FILE__, __LINE__)

/// Of a call that returns cudaError_t; the source includes <cuda_runtime.h>.
#define BE_CUDA_CHECK(...)                                                                                             \
  do {                                                                                                                 \
    const cudaError_t be_check_error = (__VA_ARGS__);                                                                  \
    if (be_check_error != cudaSuccess)                                                                                 \
      ::BE::detail::throw_cuda_error(cudaGetErrorString(be_check_error), cudaGetErrorName(be_check_error),             \
                                     #__VA_ARGS__, __FILE__, __LINE__);                                                \
  } while (false)

/// After a launch: errors of the launch itself. What goes wrong while the kernel runs comes with a later call.
#define BE_CHECK_KERNEL_LAUNCH() BE_CUDA_CHECK(cudaGetLastError())

/// As well those of the running kernel, for which it waits.
#define BE_CHECK_KERNEL_LAUNCH_SYNC()                                                                                  \
  do {                                                                                                                 \
    BE_CHECK_KERNEL_LAUNCH();                                                                                          \
    BE_CUDA_CHECK(cudaDeviceSynchronize());                                                                            \
  } while (false)

#endif // BRAINEVENT_CHECK_H
