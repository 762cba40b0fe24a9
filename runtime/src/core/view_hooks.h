// runtime/src/core/view_hooks.h - what views of f_bwd have done for them around a launch.

#ifndef KERNIX_CORE_VIEW_HOOKS_H
#define KERNIX_CORE_VIEW_HOOKS_H

#include "core/frame.h"
#include "core/launch.h"

#include <vector>

namespace kernix::core {

/// Scratch memory of the views of one call, and their after(). Everything happens on the call's stream; memory that the
/// caller did not provide is given back there.
class ViewHooks {
public:
  ViewHooks(Frame &frame, void *stream) : frame_(frame), stream_(stream) {}
  ~ViewHooks();
  ViewHooks(const ViewHooks &) = delete;
  ViewHooks &operator=(const ViewHooks &) = delete;

  /// Before the launch: memory for the views that want some. The arguments have been placed.
  int prepare(const LaunchSizes &sizes);
  /// When the kernel has been enqueued.
  int after();

private:
  int provide(int32_t index, kernix_view_scratch *scratch, size_t bytes, size_t zeroed);
  int allocate(size_t bytes, void **data);

  Frame &frame_;
  void *const stream_;
  std::vector<void *> own_; ///< memory to give back
};

} // namespace kernix::core

#endif // KERNIX_CORE_VIEW_HOOKS_H
