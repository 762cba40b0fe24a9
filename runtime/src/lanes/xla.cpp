// runtime/src/lanes/xla.cpp - what kernix_xla_<name> calls: an operation as a handler of XLA's FFI.
//
// Operands are the tensors that are read, results those that are written, attributes the scalars, strings and structs
// by their names. The stream is the one of XLA's context. Errors go back as XLA's errors; nothing is thrown across.

#include "core/arena.h"
#include "core/batch.h"
#include "core/parameter.h"
#include "lanes/xla_abi.h"
#include "lanes/xla_attributes.h"
#include "lanes/xla_buffers.h"
#include "lanes/xla_targets.h"

#include <cstddef>
#include <exception>
#include <optional>
#include <vector>

namespace kernix::lanes::xla {

namespace {

int32_t code_of(int status) {
  switch (status) {
  case KERNIX_ERROR_TYPE:
  case KERNIX_ERROR_VALUE:
    return code_invalid_argument;
  case KERNIX_ERROR_MEMORY:
    return code_resource_exhausted;
  case KERNIX_ERROR_KEY:
    return code_not_found;
  default:
    return code_internal;
  }
}

XLA_FFI_Error *raise(const XLA_FFI_CallFrame &frame, int status) {
  ErrorArguments arguments = {sizeof arguments, nullptr, kernix_last_error(), code_of(status)};
  return frame.api->make_error(&arguments);
}

/// XLA asks each handler for its version and traits when it is registered.
bool answer_metadata(const XLA_FFI_CallFrame &frame, uint32_t traits) {
  if (!frame.extensions || frame.extensions->type != extension_metadata)
    return false;
  Metadata &metadata = *reinterpret_cast<MetadataExtension *>(frame.extensions)->metadata;
  metadata.api_version.major = 0;
  metadata.api_version.minor = 1;
  metadata.traits = traits;
  return true;
}

/// Of a function compiled for CUDA: XLA has made the device of the call current.
int find_device(const kernix_function &function, const XLA_FFI_CallFrame &frame, Device *device) {
  *device = {KERNIX_CPU, 0, nullptr};
  if (!(function.flags & KERNIX_FOR_CUDA))
    return KERNIX_OK;
  device->type = KERNIX_CUDA;
  StreamArguments stream = {sizeof stream, nullptr, frame.context, nullptr};
  if (has_failed(*frame.api, frame.api->get_stream(&stream)))
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: is compiled for CUDA, and was called on another platform",
                            function.signature);
  device->stream = stream.stream;
  const bool tells_device = frame.api->struct_size >= offsetof(Api, get_device) + sizeof(frame.api->get_device);
  DeviceArguments ordinal = {sizeof ordinal, nullptr, frame.context, 0};
  if (tells_device && !has_failed(*frame.api, frame.api->get_device(&ordinal))) {
    device->id = ordinal.device;
    return KERNIX_OK;
  }
  int current = 0;
  function.cuda->get_device(&current);
  device->id = current;
  return KERNIX_OK;
}

int check_results(const kernix_function &function) {
  const bool has_number = [&] {
    if (function.result.passing != KERNIX_PASS_VOID)
      return true;
    for (int32_t i = 0; i < function.num_parameters; ++i)
      if (core::treatment(function, function.parameters[i]) == core::Treatment::Local)
        return true;
    return false;
  }();
  if (!has_number)
    return KERNIX_OK;
  return kernix_set_error(KERNIX_ERROR_TYPE,
                          "%s: gives back a value that is no array, for which XLA has no place; write it to a tensor",
                          function.signature);
}

bool have_same_roles(const kernix_function &a, const kernix_function &b) {
  const auto count = static_cast<size_t>(a.num_parameters);
  std::vector<int32_t> roles[4];
  for (std::vector<int32_t> &each : roles)
    each.assign(count, -1);
  number_by_role(a, true, roles[0].data(), roles[1].data());
  number_by_role(b, true, roles[2].data(), roles[3].data());
  return roles[0] == roles[2] && roles[1] == roles[3];
}

/// The variant of a call, and what its operands and results stand for. A call that does not say which variant it is for
/// is looked at as one of each, since what is an operand of one may be a result of another.
class Choice {
public:
  Choice(const kernix_operation &operation, const XLA_FFI_CallFrame &frame, const Device &device,
         const CallAttributes &attributes, kernix_value *values)
      : operation_(operation), frame_(frame), device_(device), attributes_(attributes), values_(values) {}

  int make() {
    if (attributes_.variant >= operation_.num_functions)
      return kernix_set_error(KERNIX_ERROR_TYPE, "%s: there is no variant %lld", operation_.name,
                              static_cast<long long>(attributes_.variant));
    if (attributes_.variant >= 0)
      return take(*operation_.functions[attributes_.variant]);
    const int status = try_as(*operation_.functions[0]);
    if (status == KERNIX_OK)
      return fits_ ? KERNIX_OK : take(*function_);
    for (int32_t k = 1; k < operation_.num_functions; ++k)
      if (try_as(*operation_.functions[k]) == KERNIX_OK && fits_)
        return KERNIX_OK;
    return operation_.num_functions > 1 ? try_as(*operation_.functions[0]) : status; // with its message
  }

  CallBuffers &buffers() { return *buffers_; }
  const kernix_function &function() const { return *function_; }

private:
  int take(const kernix_function &function) {
    function_ = &function;
    buffers_ = &place_.emplace(function, frame_, device_);
    return buffers_->assign(attributes_);
  }

  /// By the tensors alone: of attributes only the chosen variant says what they are.
  int try_as(const kernix_function &function) {
    fits_ = true;
    if (int status = take(function); status != KERNIX_OK || operation_.num_functions == 1)
      return status;
    if (int status = buffers_->fill(0, function, values_); status != KERNIX_OK)
      return status;
    if (int status = kernix_select(&operation_, values_, function.num_parameters, &function_); status != KERNIX_OK)
      return status;
    fits_ = attributes_.has_operands || attributes_.has_results || have_same_roles(function, *function_);
    return KERNIX_OK;
  }

  const kernix_operation &operation_;
  const XLA_FFI_CallFrame &frame_;
  const Device &device_;
  const CallAttributes &attributes_;
  kernix_value *values_;
  std::optional<CallBuffers> place_;
  CallBuffers *buffers_ = nullptr; ///< there
  const kernix_function *function_ = nullptr;
  bool fits_ = true;
};

/// The long way.
int call(const kernix_operation &operation, const XLA_FFI_CallFrame &frame) {
  const kernix_function &first = *operation.functions[0];
  if (int status = check_results(first); status != KERNIX_OK)
    return status;
  core::Arena arena;
  kernix_call_options options = {};
  CallAttributes attributes;
  if (int status = read_call_attributes(first, frame.attributes, arena, &options, &attributes); status != KERNIX_OK)
    return status;
  Device device;
  if (int status = find_device(first, frame, &device); status != KERNIX_OK)
    return status;
  core::SmallArray<kernix_value, 24> values(static_cast<size_t>(first.num_parameters));
  for (int32_t i = 0; i < first.num_parameters; ++i)
    values[static_cast<size_t>(i)] = {};
  Choice choice(operation, frame, device, attributes, values.data());
  if (int status = choice.make(); status != KERNIX_OK)
    return status;
  CallBuffers &buffers = choice.buffers();
  const kernix_function *const function = &choice.function();
  if (int status = read_parameters(*function, frame.attributes, arena, values.data()); status != KERNIX_OK)
    return status;

  options.has_stream = device.type == KERNIX_CUDA;
  options.stream = device.stream;
  options.allocate = &CallBuffers::allocate;
  options.allocate_context = &buffers;
  void *const storage = arena.allocate(kernix_result_storage(function), alignof(max_align_t));
  const cuda::BatchedKernel *const batched =
      buffers.row_size() > 1 ? cuda::find_batched(*operation.module, *function) : nullptr;
  const int64_t at_once = batched ? buffers.row_size() : 1;
  buffers.set_elements_at_once(at_once);
  for (int64_t element = 0; element < buffers.batch_size(); element += at_once) {
    int status = buffers.fill(element, *function, values.data());
    if (status == KERNIX_OK)
      status =
          batched ? core::call_batch(*function, values.data(), options, storage, {*batched, at_once, buffers.strides()})
                  : kernix_call(function, values.data(), first.num_parameters, &options, storage, nullptr, nullptr);
    if (status != KERNIX_OK)
      return status;
  }
  return KERNIX_OK;
}

[[gnu::noinline]] XLA_FFI_Error *handle_anything(const kernix_operation &operation, uint32_t traits,
                                                 XLA_FFI_CallFrame *frame) {
  if (answer_metadata(*frame, traits) || frame->stage != stage_execute)
    return nullptr;
  int status;
  try {
    status = call(operation, *frame);
  } catch (const std::exception &error) { // out of memory: nothing else throws here
    status = kernix_set_error(KERNIX_ERROR_MEMORY, "%s: %s", operation.name, error.what());
  }
  return status == KERNIX_OK ? nullptr : raise(*frame, status);
}

} // namespace

XLA_FFI_Error *handle(const kernix_operation &operation, uint32_t traits, const Plans &plans,
                      XLA_FFI_CallFrame *frame) {
  if (!frame->extensions && frame->stage == stage_execute)
    for (const std::unique_ptr<const Plan> &plan : plans)
      if (int status; plan->call(*frame, &status))
        return status == KERNIX_OK ? nullptr : raise(*frame, status);
  return handle_anything(operation, traits, frame);
}

/// A kernel does the same whenever it is launched with the same sizes. A derivative asks the device about itself when
/// it is first launched, which cannot be captured; of a host function nobody knows but its author.
uint32_t traits_of(const kernix_operation &operation, bool may_capture_host_functions) {
  const kernix_function &first = *operation.functions[0];
  const bool is_capturable =
      (first.kind == KERNIX_KERNEL || may_capture_host_functions) && first.derivative == KERNIX_NO_DERIVATIVE;
  return is_capturable ? trait_command_buffer_compatible : 0;
}

} // namespace kernix::lanes::xla

using namespace kernix::lanes::xla;

XLA_FFI_Error *kernix_handle_xla_call(kernix_operation_slot *slot, XLA_FFI_CallFrame *frame) {
  const kernix_operation *operation = kernix_operation_resolve(slot);
  return operation ? handle(*operation, traits_of(*operation, false), {}, frame) : raise(*frame, KERNIX_ERROR_RUNTIME);
}
