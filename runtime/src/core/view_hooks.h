// runtime/src/core/view_hooks.h - what views of f_bwd have done for them around a launch.

#ifndef KERNIX_CORE_VIEW_HOOKS_H
#define KERNIX_CORE_VIEW_HOOKS_H

#include "core/call_memory.h"
#include "core/launch.h"

namespace kernix::core {

/// Scratch memory of the views of one call, and their after(). Everything happens on the call's stream.
class ViewHooks {
public:
  ViewHooks(Frame &frame, CallMemory &memory, void *stream) : frame_(frame), memory_(memory), stream_(stream) {}

  /// Before the launch: memory for the views that want some. The arguments have been placed.
  int prepare(const LaunchSizes &sizes);
  /// When the kernel has been enqueued.
  int after();

private:
  Frame &frame_;
  CallMemory &memory_;
  void *const stream_;
};

} // namespace kernix::core

#endif // KERNIX_CORE_VIEW_HOOKS_H
