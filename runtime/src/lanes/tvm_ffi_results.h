// runtime/src/lanes/tvm_ffi_results.h - allocates outputs through tvm-ffi and packs results.

#ifndef KERNIX_LANES_TVM_FFI_RESULTS_H
#define KERNIX_LANES_TVM_FFI_RESULTS_H

#include "core/arena.h"
#include "kernix/abi.h"
#include "lanes/tvm_ffi_abi.h"

#include <vector>

namespace kernix::lanes::tvm_ffi {

/// Tensors that a call allocated; released when the call is done with them.
class AllocatedTensors {
public:
  AllocatedTensors(const kernix_function &function, void *stream);
  ~AllocatedTensors();
  AllocatedTensors(const AllocatedTensors &) = delete;
  AllocatedTensors &operator=(const AllocatedTensors &) = delete;

  /// A kernix_allocate; the context is the AllocatedTensors.
  static int allocate(void *context, int32_t parameter, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                      int32_t device_type, int32_t device_id, int zeroed, kernix_dltensor *tensor);

  /// The object of a parameter with a reference of its own, or null.
  void *take(int32_t parameter);

private:
  int fill_with_zeros(const kernix_dltensor &tensor) const;

  const kernix_function &function_;
  void *const stream_;
  core::SmallArray<void *, 24> tensors_;
  std::vector<void *> scratch_;
};

/// Packs what a call gave back: nothing, one value, or an array of them. `given[i]` is the argument that was passed for
/// parameter i, or null.
int pack_results(const kernix_function &function, const kernix_output *outputs, int32_t num_outputs,
                 AllocatedTensors &tensors, const TVMFFIAny *const *given, TVMFFIAny *result);

} // namespace kernix::lanes::tvm_ffi

#endif // KERNIX_LANES_TVM_FFI_RESULTS_H
