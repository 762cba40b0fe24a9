// runtime/src/lanes/tvm_ffi_arguments.h - packed arguments of tvm-ffi as kernix values.

#ifndef KERNIX_LANES_TVM_FFI_ARGUMENTS_H
#define KERNIX_LANES_TVM_FFI_ARGUMENTS_H

#include "core/arena.h"
#include "kernix/abi.h"
#include "lanes/tvm_ffi_abi.h"

namespace kernix::lanes::tvm_ffi {

/// What a packed argument is for kernix. `parameter` says how an array is meant: struct fields or complex parts.
/// Strings and tensors are borrowed from the argument, fields lie in `arena`.
int to_value(const TVMFFIAny &arg, const kernix_parameter &parameter, core::Arena &arena, kernix_value *value);

/// A launch size: None, an int, or an array of one to three ints. Unset axes are 1.
int to_launch_size(const TVMFFIAny &arg, const kernix_function &function, const char *name, int32_t *is_given,
                   int64_t size[3]);

} // namespace kernix::lanes::tvm_ffi

#endif // KERNIX_LANES_TVM_FFI_ARGUMENTS_H
