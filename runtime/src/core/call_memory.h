// runtime/src/core/call_memory.h - scratch memory for the time of one call.

#ifndef KERNIX_CORE_CALL_MEMORY_H
#define KERNIX_CORE_CALL_MEMORY_H

#include "core/frame.h"
#include "core/launch.h"

#include <vector>

namespace kernix::core {

/// Memory on the call's device, in the order of its stream: from the caller's framework, whose memory a device is full
/// of, else from CUDA. What the caller did not provide is given back at the end, in that order too.
class CallMemory {
public:
  CallMemory(Frame &frame, DeviceGuard &guard, void *stream) : frame_(frame), guard_(guard), stream_(stream) {}
  ~CallMemory();
  CallMemory(const CallMemory &) = delete;
  CallMemory &operator=(const CallMemory &) = delete;

  /// `bytes` bytes aligned to 16, the first `zeroed` of them zero, for the gradient of parameter `index`.
  int allocate(int32_t index, size_t bytes, size_t zeroed, void **data);

private:
  int ask(size_t bytes, void **data);

  Frame &frame_;
  DeviceGuard &guard_;
  void *const stream_;
  std::vector<void *> own_; ///< memory to give back
};

} // namespace kernix::core

#endif // KERNIX_CORE_CALL_MEMORY_H
