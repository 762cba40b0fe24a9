// runtime/src/lanes/tvm_ffi.cpp - what __tvm_ffi_<name> calls: a packed call of an operation.
//
// Packed arguments are the visible parameters in order, None where the caller gives none; for kernels optionally block
// and grid before them, recognised by the number of arguments.

#include "core/arena.h"
#include "core/parameter.h"
#include "lanes/tvm_ffi_abi.h"
#include "lanes/tvm_ffi_arguments.h"
#include "lanes/tvm_ffi_results.h"

#include <exception>

namespace kernix::lanes::tvm_ffi {

namespace {

int32_t count_visible(const kernix_function &function) {
  int32_t count = 0;
  for (int32_t i = 0; i < function.num_parameters; ++i)
    count += !core::is_hidden(function.parameters[i]);
  return count;
}

/// The stream of the first CUDA tensor's device; without one, of none.
void *current_stream(const kernix_value *values, int32_t count, int32_t *has_stream) {
  for (int32_t i = 0; i < count; ++i) {
    if (values[i].kind != KERNIX_VALUE_TENSOR)
      continue;
    const kernix_dltensor &tensor = *values[i].as.tensor;
    if (tensor.device_type != KERNIX_CUDA && tensor.device_type != KERNIX_CUDA_MANAGED)
      continue;
    *has_stream = 1;
    return api().current_stream(KERNIX_CUDA, tensor.device_id);
  }
  return nullptr;
}

int call(const kernix_operation &operation, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const kernix_function &first = *operation.functions[0];
  const int32_t visible = count_visible(first);
  const bool has_launch = first.kind == KERNIX_KERNEL && num_args == visible + 2;
  if (num_args != visible && !has_launch)
    return kernix_set_error(KERNIX_ERROR_TYPE, "%s: expected %d arguments%s, got %d", first.signature, visible,
                            first.kind == KERNIX_KERNEL ? ", or block and grid before them" : "", num_args);
  kernix_call_options options = {};
  if (has_launch) {
    if (int status = to_launch_size(args[0], first, "block", &options.has_block, options.block); status != KERNIX_OK)
      return status;
    if (int status = to_launch_size(args[1], first, "grid", &options.has_grid, options.grid); status != KERNIX_OK)
      return status;
    args += 2;
  }

  const size_t count = static_cast<size_t>(first.num_parameters);
  core::Arena arena;
  core::SmallArray<kernix_value, 24> values(count);
  core::SmallArray<const TVMFFIAny *, 24> given(count);
  for (size_t i = 0, next = 0; i < count; ++i) {
    values[i] = {};
    given[i] = nullptr;
    if (core::is_hidden(first.parameters[i]))
      continue;
    given[i] = &args[next++];
    if (int status = to_value(*given[i], first.parameters[i], arena, &values[i]); status != KERNIX_OK)
      return status;
  }

  const kernix_function *function;
  if (int status = kernix_select(&operation, values.data(), first.num_parameters, &function); status != KERNIX_OK)
    return status;
  options.stream = current_stream(values.data(), first.num_parameters, &options.has_stream);
  AllocatedTensors tensors(*function, options.stream);
  options.allocate = &AllocatedTensors::allocate;
  options.allocate_context = &tensors;
  void *const storage = arena.allocate(kernix_result_storage(function), alignof(max_align_t));
  core::SmallArray<kernix_output, 24> outputs(count + 1);
  int32_t num_outputs = 0;
  if (int status =
          kernix_call(function, values.data(), first.num_parameters, &options, storage, outputs.data(), &num_outputs);
      status != KERNIX_OK)
    return status;
  return pack_results(*function, outputs.data(), num_outputs, tensors, given.data(), result);
}

} // namespace

} // namespace kernix::lanes::tvm_ffi

using namespace kernix::lanes::tvm_ffi;

int kernix_tvm_ffi_call(kernix_operation_slot *slot, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  *result = {};
  int status;
  try {
    const kernix_operation *operation = kernix_operation_resolve(slot);
    if (!operation)
      return raise(KERNIX_ERROR_RUNTIME, result);
    status = call(*operation, args, num_args, result);
  } catch (const std::exception &error) { // out of memory: nothing else throws here
    status = kernix_set_error(KERNIX_ERROR_MEMORY, "%s: %s", slot->name, error.what());
  }
  return status == KERNIX_OK ? 0 : raise(status, result);
}
