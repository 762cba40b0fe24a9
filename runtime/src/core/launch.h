// runtime/src/core/launch.h - launch sizes of a kernel, and the launch itself.

#ifndef KERNIX_CORE_LAUNCH_H
#define KERNIX_CORE_LAUNCH_H

#include "core/frame.h"

namespace kernix::core {

struct LaunchSizes {
  int64_t block[3] = {1, 1, 1};
  int64_t grid[3] = {1, 1, 1};
  int64_t shared_bytes = 0;
  bool is_empty = false; ///< nothing to launch
};

/// Block, grid and dynamic shared memory: the call's, else the attributes', else the default for kernels that only use
/// x. Checks CUDA's limits. `frame` has been resolved.
int resolve_launch(Frame &frame, LaunchSizes *sizes);

/// Opts in to large dynamic shared memory where needed. The device has been selected.
int prepare_shared_memory(const Frame &frame, const LaunchSizes &sizes);

/// Launches on `stream`; `args[i]` is the address of the C++ object of parameter i.
int launch(const kernix_function &function, const LaunchSizes &sizes, void **args, void *stream);

/// Clears what the object's CUDA runtime remembers as its last error, and returns it.
inline int take_last_error(const kernix_function &function) {
  const kernix_cuda_api *cuda = function.cuda;
  return cuda && cuda->get_last_error ? cuda->get_last_error() : 0;
}

/// Reports an error that a function left behind. `before` is what take_last_error gave before it was called.
int report_last_error(const kernix_function &function, int before, int error);

/// Reports the last error, and clears it.
inline int check_last_error(const kernix_function &function, int before) {
  const int error = take_last_error(function);
  return error == 0 ? KERNIX_OK : report_last_error(function, before, error);
}

/// With KERNIX_SYNC=1 waits for the stream, so that a failure is reported by the call that caused it. A stream that is
/// being captured is left alone: nothing runs yet.
int synchronise(const kernix_function &function, void *stream);
bool is_synchronous();
inline int synchronise_if_asked(const kernix_function &function, void *stream) {
  static const bool asked = is_synchronous();
  return asked ? synchronise(function, stream) : KERNIX_OK;
}

/// Makes a device current for its lifetime.
class DeviceGuard {
public:
  DeviceGuard() = default;
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard &) = delete;
  DeviceGuard &operator=(const DeviceGuard &) = delete;

  /// Selects the device of `frame`'s tensors; where it has none, tells the frame the current one.
  int enter(Frame &frame);
  /// Selects a device for what has no frame; -1 becomes the current one.
  int enter(const kernix_function &function, int32_t *device);
  /// Selects it again when a framework has been asked for memory: torch goes back to what it takes for the thread's
  /// device, which is another one if that has had no context until now.
  int stay(const Frame &frame);

private:
  int select(const kernix_function &function, int32_t device, int current);

  const kernix_cuda_api *cuda_ = nullptr;
  int previous_ = -1;
};

} // namespace kernix::core

#endif // KERNIX_CORE_LAUNCH_H
