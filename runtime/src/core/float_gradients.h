// runtime/src/core/float_gradients.h - gradients of 16-bit numbers that f_bwd sums in float.
//
// A sum of many numbers of 16 bits stops growing: 256 ones and one more are 256 in bfloat16. Where the device pass says
// so (kernix_launch_facts::float_gradients), the kernel gets a float for each element instead, all zero at first, and
// what it has added up there is added to the gradient when it is done: each element is rounded once.

#ifndef KERNIX_CORE_FLOAT_GRADIENTS_H
#define KERNIX_CORE_FLOAT_GRADIENTS_H

#include "core/call_memory.h"

#include <vector>

namespace kernix::core {

/// Whether the parameter is a gradient of 16-bit numbers that f_bwd only adds to.
bool can_be_in_float(const Frame &frame, int32_t index);
bool can_be_in_float(const kernix_function &function);

/// Those of one call: of all arguments whose is_in_float is set.
class FloatGradients {
public:
  FloatGradients(Frame &frame, CallMemory &memory, void *stream) : frame_(frame), memory_(memory), stream_(stream) {}

  /// Before the launch, when the arguments have been placed: puts the floats in place of the gradients.
  int prepare();
  /// When the kernel has been enqueued.
  int round();

private:
  struct Gradient {
    int32_t index;
    int64_t elements; ///< from the one with the lowest address to that with the highest, gaps included
    void *first;      ///< the one with the lowest address
    float *sums;
  };

  Frame &frame_;
  CallMemory &memory_;
  void *const stream_;
  std::vector<Gradient> gradients_;
};

} // namespace kernix::core

#endif // KERNIX_CORE_FLOAT_GRADIENTS_H
