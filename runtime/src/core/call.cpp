// runtime/src/core/call.cpp - kernix_call: the one path that every caller's call takes.
//
// Order: arguments, computed values and shapes, launch sizes, allocation, launch or call. A check that fails stops the
// call before anything is allocated or written.

#include "core/batch.h"
#include "core/call_user.h"
#include "core/derivative.h"
#include "core/results.h"
#include "core/scratch_gradients.h"
#include "core/view_hooks.h"
#include "selector/call_times.h"

namespace kernix::core {

namespace {

int check_function(const kernix_function *function, int32_t num_values) {
  if (function->abi_version != KERNIX_ABI_VERSION)
    return kernix_set_error(KERNIX_ERROR_RUNTIME,
                            "%s was compiled for kernix ABI %u, this runtime has ABI %u: compile it again",
                            function->name, function->abi_version, KERNIX_ABI_VERSION);
  if (num_values != function->num_parameters)
    return kernix_set_error(KERNIX_ERROR_TYPE, "%s: expected %d arguments, got %d", function->signature,
                            function->num_parameters, num_values);
  return KERNIX_OK;
}

int call_thunk(const Frame &frame, void *const *args, void *storage) {
  const kernix_function &function = frame.function();
  void *const result =
      function.result.passing == KERNIX_PASS_VOID ? nullptr : ResultLayout(storage).take(function.result);
  if (!function.thunk)
    return frame.fail(KERNIX_ERROR_RUNTIME, "a device function can be called from the host only on the CPU target");
  return call_user(function, [&] { function.thunk(args, result); });
}

void *stream_of(const Frame &frame) {
  for (int32_t i = 0; i < frame.function().num_parameters; ++i)
    if (frame.parameter(i).passing == KERNIX_PASS_STREAM)
      return reinterpret_cast<void *>(frame.argument(i).integer);
  const kernix_call_options *options = frame.options();
  return options && options->has_stream ? options->stream : nullptr;
}

int32_t pack(const Frame &frame, void *storage, kernix_output *outputs) {
  const kernix_function &function = frame.function();
  int32_t count = 0;
  if (function.result.passing != KERNIX_PASS_VOID)
    outputs[count++] = {-1, ResultLayout(storage).take(function.result)};
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    if (!is_returned(frame.parameter(i)))
      continue;
    outputs[count++] = {i, frame.argument(i).result};
  }
  return count;
}

int call(const kernix_function &function, const kernix_value *values, const kernix_call_options *options, void *storage,
         kernix_output *outputs, int32_t *num_outputs, const Batch *batch = nullptr, bool in_fixed_order = false) {
  Frame frame(function, values, options, Purpose::Call);
  if (int status = frame.bind(); status != KERNIX_OK)
    return status;
  if (int status = frame.resolve(); status != KERNIX_OK)
    return status;
  if (function.derivative != KERNIX_NO_DERIVATIVE)
    if (int status = check_overlap(frame); status != KERNIX_OK)
      return status;
  DeviceGuard guard;
  if (int status = guard.enter(frame); status != KERNIX_OK)
    return status;

  const bool is_kernel = function.kind == KERNIX_KERNEL;
  LaunchSizes sizes;
  if (is_kernel) {
    if (int status = resolve_launch(frame, &sizes); status != KERNIX_OK)
      return status;
    if (function.derivative != KERNIX_NO_DERIVATIVE)
      if (int status = check_derivative_launch(frame, &sizes, stream_of(frame), in_fixed_order); status != KERNIX_OK)
        return status;
    if (int status = prepare_shared_memory(frame, sizes); status != KERNIX_OK)
      return status;
  } else if (options && (options->has_block || options->has_grid || options->has_shared_bytes)) {
    return frame.fail(KERNIX_ERROR_TYPE, "launch sizes were given, but this is not a kernel");
  }
  if (int status = frame.allocate(); status != KERNIX_OK)
    return status;
  if (int status = guard.stay(frame); status != KERNIX_OK)
    return status;
  if (int status = frame.place(storage); status != KERNIX_OK)
    return status;

  SmallArray<void *, 24> args(static_cast<size_t>(function.num_parameters));
  size_t num_args = 0;
  for (int32_t i = 0; i < function.num_parameters; ++i)
    if (!(frame.parameter(i).flags & KERNIX_CARRIED))
      args[num_args++] = frame.argument(i).object;
  void *const stream = stream_of(frame);
  CallMemory memory(frame, guard, stream);
  ViewHooks hooks(frame, memory, stream);
  ScratchGradients gradients(frame, memory, stream);
  int status = KERNIX_OK;
  if (!sizes.is_empty) {
    selector::CallTimer timer(function, frame.device_id(), stream);
    status = hooks.prepare(sizes);
    if (status == KERNIX_OK)
      status = gradients.prepare(sizes);
    if (status == KERNIX_OK && batch)
      status = cuda::launch_batched(batch->kernel, function, sizes, args.data(), batch->count, batch->strides, stream);
    else if (status == KERNIX_OK)
      status = is_kernel ? launch(function, sizes, args.data(), stream) : call_thunk(frame, args.data(), storage);
    if (status == KERNIX_OK)
      status = hooks.after();
    if (status == KERNIX_OK)
      status = gradients.add();
    if (status == KERNIX_OK)
      timer.stop();
  }
  if (status == KERNIX_OK && !sizes.is_empty)
    status = synchronise_if_asked(function, stream);
  if (status != KERNIX_OK)
    return status;
  const int32_t count = outputs ? pack(frame, storage, outputs) : 0;
  if (num_outputs)
    *num_outputs = count;
  return KERNIX_OK;
}

} // namespace

int call_batch(const kernix_function &function, const kernix_value *values, const kernix_call_options &options,
               void *storage, const Batch &batch) {
  return call(function, values, &options, storage, nullptr, nullptr, &batch);
}

} // namespace kernix::core

using namespace kernix::core;

int kernix_call(const kernix_function *function, const kernix_value *values, int32_t num_values,
                const kernix_call_options *options, void *storage, kernix_output *outputs, int32_t *num_outputs) {
  if (int status = check_function(function, num_values); status != KERNIX_OK)
    return status;
  return call(*function, values, options, storage, outputs, num_outputs);
}

int kernix_call_in_fixed_order(const kernix_function *function, const kernix_value *values, int32_t num_values,
                               const kernix_call_options *options, void *storage, kernix_output *outputs,
                               int32_t *num_outputs) {
  if (int status = check_function(function, num_values); status != KERNIX_OK)
    return status;
  return call(*function, values, options, storage, outputs, num_outputs, nullptr, true);
}

int kernix_output_shape(const kernix_function *function, const kernix_value *values, int32_t num_values,
                        int32_t parameter, int64_t shape[KERNIX_MAX_RANK], int32_t *ndim) {
  if (int status = check_function(function, num_values); status != KERNIX_OK)
    return status;
  Frame frame(*function, values, nullptr, Purpose::Shapes);
  if (int status = frame.bind(); status != KERNIX_OK)
    return status;
  return parameter < 0 ? frame.resolve() : frame.output_shape(parameter, shape, ndim);
}

size_t kernix_result_storage(const kernix_function *function) { return result_storage_size(*function); }
