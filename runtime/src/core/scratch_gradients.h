// runtime/src/core/scratch_gradients.h - gradients that f_bwd keeps in scratch memory until it is done.
//
// A sum of many numbers of 16 bits stops growing: 256 ones and one more are 256 in bfloat16. Where the device pass says
// so (kernix_launch_facts::float_gradients), the kernel gets a float for each element instead, all zero at first, and
// what it has added up there is added to the gradient when it is done: each element is rounded once.
//
// Where the source says diff(replicated, N) it gets N numbers for each element, and their sum is added to the gradient;
// where it says diff(scatter, N), memory for notes of what is to be added to which element (kernix_parameter).

#ifndef KERNIX_CORE_SCRATCH_GRADIENTS_H
#define KERNIX_CORE_SCRATCH_GRADIENTS_H

#include "core/call_memory.h"
#include "core/copies.h"
#include "core/launch.h"

#include <vector>

namespace kernix::core {

/// Whether the parameter is a gradient of 16-bit numbers that f_bwd only adds to.
bool can_be_in_float(const Frame &frame, int32_t index);
/// Whether a call may have anything to do when its kernel is done.
bool may_use_scratch(const kernix_function &function);

/// Those of one call: of all arguments whose is_in_float is set, and of parameters with `replicas` or `notes`.
class ScratchGradients {
public:
  ScratchGradients(Frame &frame, CallMemory &memory, void *stream) : frame_(frame), memory_(memory), stream_(stream) {}

  /// Before the launch, when the arguments have been placed: puts scratch memory in place of gradients.
  int prepare(const LaunchSizes &sizes);
  /// When the kernel has been enqueued.
  int add();

private:
  struct Notes {
    kernix_dtype dtype;
    int64_t count;
    kernix_notes *notes;
  };

  int prepare_copies(int32_t index, int64_t of_each);
  int prepare_notes(int32_t index, int64_t of_thread, const LaunchSizes &sizes);
  int fail_size(int32_t index) const;
  /// Passes the odd pointer that says where the scratch memory is.
  void pass(int32_t index, void *memory) const;

  Frame &frame_;
  CallMemory &memory_;
  void *const stream_;
  std::vector<Copies> copies_;
  std::vector<Notes> notes_;
};

} // namespace kernix::core

#endif // KERNIX_CORE_SCRATCH_GRADIENTS_H
