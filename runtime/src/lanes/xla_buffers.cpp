// runtime/src/lanes/xla_buffers.cpp
//
// XLA's arrays are row-major and contiguous, so a tensor is a buffer's pointer and sizes. An element of a batch is a
// part of a buffer.

#include "lanes/xla_buffers.h"

#include "core/parameter.h"
#include "core/text.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace kernix::lanes::xla {

namespace {

constexpr uint64_t all_axes = ~uint64_t{0};
constexpr size_t scratch_alignment = 64;
constexpr size_t xla_alignment = 16; // the largest that may be asked for; what comes is aligned as XLA's arrays are

size_t bytes_of(const kernix_dltensor &tensor) {
  size_t bytes = tensor.dtype.bits / 8;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    bytes *= static_cast<size_t>(tensor.shape[d]);
  return bytes;
}

/// Both read and written: one operand and one result.
bool is_both(const kernix_parameter &parameter) {
  constexpr uint32_t both = KERNIX_COTANGENT | KERNIX_GRADIENT;
  return parameter.intent == KERNIX_INTENT_INOUT_PTR || (parameter.flags & both) == both;
}

const char *name_of(const kernix_function &function, int32_t index) {
  return index < 0 ? "a view" : function.parameters[index].name;
}

bool is_operand(const kernix_parameter &parameter) { return !core::is_written(parameter) || is_both(parameter); }

} // namespace

Counts number_by_role(const kernix_function &function, bool with_optional, int32_t *operand_of, int32_t *result_of) {
  Counts counts = {};
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    const kernix_parameter &parameter = function.parameters[i];
    if (!core::is_tensor(core::treatment(function, parameter)))
      continue;
    if (is_operand(parameter) && (with_optional || !(parameter.flags & KERNIX_OPTIONAL)))
      operand_of[i] = static_cast<int32_t>(counts.operands++);
    if (core::is_written(parameter))
      result_of[i] = static_cast<int32_t>(counts.results++);
  }
  return counts;
}

CallBuffers::CallBuffers(const kernix_function &function, const XLA_FFI_CallFrame &frame, const Device &device)
    : function_(function), frame_(frame), device_(device), operand_of_(static_cast<size_t>(function.num_parameters)),
      result_of_(static_cast<size_t>(function.num_parameters)), tensors_(static_cast<size_t>(function.num_parameters)),
      strides_(static_cast<size_t>(function.num_parameters)) {
  std::fill_n(operand_of_.data(), function.num_parameters, -1);
  std::fill_n(result_of_.data(), function.num_parameters, -1);
}

CallBuffers::~CallBuffers() { release_scratch(); }

void CallBuffers::release_scratch() {
  for (const std::unique_ptr<Scratch> &scratch : scratch_) {
    if (device_.type == KERNIX_CPU) {
      ::operator delete(scratch->data, std::align_val_t{scratch_alignment});
      continue;
    }
    FreeArguments arguments = {sizeof arguments, nullptr, frame_.context, scratch->size, scratch->data};
    has_failed(*frame_.api, frame_.api->free(&arguments));
  }
  scratch_.clear();
}

int CallBuffers::allocate_scratch(int32_t index, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                                  kernix_dltensor *tensor) {
  Scratch &scratch = *scratch_.emplace_back(std::make_unique<Scratch>());
  std::copy_n(shape, ndim, scratch.shape);
  *tensor = {nullptr, device_.type, device_.id, ndim, dtype, scratch.shape, nullptr, 0};
  const size_t size = std::max<size_t>(bytes_of(*tensor), 1);
  if (index >= 0)
    strides_[static_cast<size_t>(index)] = static_cast<int64_t>(bytes_of(*tensor));
  scratch.size = size * static_cast<size_t>(at_once_);
  if (device_.type == KERNIX_CPU) {
    tensor->data = scratch.data = ::operator new(scratch.size, std::align_val_t{scratch_alignment});
    return KERNIX_OK;
  }
  AllocateArguments arguments = {sizeof arguments, nullptr, frame_.context, scratch.size, xla_alignment, nullptr};
  if (has_failed(*frame_.api, frame_.api->allocate(&arguments))) {
    const size_t asked = scratch.size;
    scratch_.pop_back();
    return kernix_set_error(KERNIX_ERROR_MEMORY, "%s: XLA gave no %zu bytes of scratch memory for '%s'",
                            function_.signature, asked, name_of(*called_, index));
  }
  tensor->data = scratch.data = arguments.data;
  return KERNIX_OK;
}

int CallBuffers::assign(const CallAttributes &attributes) {
  if (!attributes.has_operands && !attributes.has_results) {
    if (int status = assign_by_role(); status != KERNIX_OK)
      return status;
  } else {
    if (int status = assign_list(attributes.operands, frame_.operands, "operands", operand_of_); status != KERNIX_OK)
      return status;
    if (int status = assign_list(attributes.results, frame_.results, "results", result_of_); status != KERNIX_OK)
      return status;
  }
  return assign_batch(attributes.batch);
}

int CallBuffers::fail_count(const char *what, int64_t expected, int64_t got, const char *more) const {
  return kernix_set_error(KERNIX_ERROR_TYPE, "%s: expected %lld %s%s, got %lld", function_.signature,
                          static_cast<long long>(expected), what, more, static_cast<long long>(got));
}

int CallBuffers::assign_by_role() {
  // Optional tensors are all given, or none of them.
  const Counts all = number_by_role(function_, true, operand_of_.data(), result_of_.data());
  Counts given = all;
  if (frame_.operands.size != all.operands) {
    std::fill_n(operand_of_.data(), function_.num_parameters, -1);
    given = number_by_role(function_, false, operand_of_.data(), result_of_.data());
  }
  if (frame_.operands.size != given.operands)
    return fail_count("operands", all.operands, frame_.operands.size,
                      given.operands != all.operands ? " (or none of those that are optional)" : "");
  return frame_.results.size == given.results ? KERNIX_OK
                                              : fail_count("results", given.results, frame_.results.size, "");
}

int CallBuffers::assign_list(std::span<const int64_t> parameters, const Buffers &buffers, const char *what,
                             core::SmallArray<int32_t, 24> &to) {
  if (static_cast<int64_t>(parameters.size()) != buffers.size)
    return fail_count(what, static_cast<int64_t>(parameters.size()), buffers.size, "");
  for (size_t k = 0; k < parameters.size(); ++k) {
    const int64_t index = parameters[k];
    if (index < 0 || index >= function_.num_parameters ||
        !core::is_tensor(core::treatment(function_, function_.parameters[index])))
      return kernix_set_error(KERNIX_ERROR_TYPE, "%s: attribute 'kernix.%s': parameter %lld is no tensor",
                              function_.signature, what, static_cast<long long>(index));
    to[static_cast<size_t>(index)] = static_cast<int32_t>(k);
  }
  return KERNIX_OK;
}

int CallBuffers::assign_batch(std::span<const int64_t> batch) {
  batch_ = batch;
  if (batch.size() % 2 != 0 || batch.size() / 2 > KERNIX_MAX_RANK || (!batch.empty() && frame_.operands.size > 63))
    return kernix_set_error(KERNIX_ERROR_TYPE, "%s: attribute 'kernix.batch': not a batch of this call",
                            function_.signature);
  for (size_t k = 0; k < batch.size(); k += 2)
    batch_size_ *= batch[k];
  for (size_t k = batch.size(); k > 0 && batch[k - 1] == batch.back(); k -= 2)
    row_size_ *= batch[k - 2];
  const auto check = [&](const Buffer &buffer, uint64_t operand) {
    int64_t axis = 0;
    for (size_t k = 0; k < batch_.size(); k += 2) {
      if (operand != all_axes && !(static_cast<uint64_t>(batch_[k + 1]) & operand))
        continue;
      if (axis >= buffer.rank || buffer.dims[axis] != batch_[k])
        return false;
      ++axis;
    }
    return true;
  };
  bool fits = true;
  for (int64_t k = 0; k < frame_.operands.size; ++k)
    fits = fits && (batch.empty() || check(*frame_.operands.buffers[k], uint64_t{1} << k));
  for (int64_t k = 0; k < frame_.results.size; ++k)
    fits = fits && check(*frame_.results.buffers[k], all_axes);
  return fits ? KERNIX_OK
              : kernix_set_error(KERNIX_ERROR_TYPE, "%s: attribute 'kernix.batch': an array lacks an axis of the batch",
                                 function_.signature);
}

/// `operand`: the bit of an operand, or all_axes for a result.
void CallBuffers::make_tensor(const Buffer &buffer, uint64_t operand, int64_t element, kernix_dltensor *tensor) const {
  int64_t offset = 0, stride = 1;
  int64_t axes = 0;
  for (size_t k = batch_.size(); k > 0; k -= 2) { // the innermost axis runs fastest
    const int64_t size = batch_[k - 2], at = element % size;
    element /= size;
    if (operand != all_axes && !(static_cast<uint64_t>(batch_[k - 1]) & operand))
      continue;
    offset += at * stride;
    stride *= size;
    ++axes;
  }
  *tensor = {};
  tensor->dtype = dtype_of(buffer.dtype);
  tensor->device_type = device_.type;
  tensor->device_id = device_.id;
  tensor->ndim = static_cast<int32_t>(buffer.rank - axes);
  tensor->shape = buffer.dims + axes;
  tensor->data = buffer.data;
  if (offset)
    tensor->data = static_cast<char *>(buffer.data) + offset * static_cast<int64_t>(bytes_of(*tensor));
}

/// `operand` as for make_tensor.
bool CallBuffers::varies_in_row(uint64_t operand) const {
  return operand == all_axes || (!batch_.empty() && (static_cast<uint64_t>(batch_.back()) & operand));
}

int CallBuffers::fill_with_zeros(const kernix_dltensor &tensor) const {
  const size_t bytes = bytes_of(tensor) * static_cast<size_t>(at_once_);
  const kernix_cuda_api &cuda = *function_.cuda;
  if (bytes == 0)
    return KERNIX_OK;
  if (const int error = cuda.memset_async(tensor.data, 0, bytes, device_.stream))
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: a result could not be filled with zeros: %s",
                            function_.signature, cuda.error_string(error));
  return KERNIX_OK;
}

bool is_in_place_of_an_operand(const Buffer &result, const Buffers &operands) {
  for (int64_t k = 0; k < operands.size; ++k) {
    const Buffer &operand = *operands.buffers[k];
    // The place of an empty operand, which has another shape, means nothing.
    if (operand.data == result.data && std::ranges::equal(std::span(operand.dims, static_cast<size_t>(operand.rank)),
                                                          std::span(result.dims, static_cast<size_t>(result.rank))))
      return true;
  }
  return false;
}

int CallBuffers::clear_result(const Buffer &result, const kernix_dltensor &tensor) const {
  return is_in_place_of_an_operand(result, frame_.operands) ? KERNIX_OK : fill_with_zeros(tensor);
}

int CallBuffers::fill(int64_t element, const kernix_function &function, kernix_value *values) {
  element_ = element;
  called_ = &function;
  release_scratch(); // what the element before had
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    const auto at = static_cast<size_t>(i);
    const kernix_parameter &parameter = function.parameters[i];
    if (!core::is_tensor(core::treatment(function, parameter)))
      continue;
    kernix_value &value = values[i];
    value = {};
    strides_[at] = 0;
    if (operand_of_[at] >= 0) {
      const Buffer &buffer = *frame_.operands.buffers[operand_of_[at]];
      const uint64_t operand = uint64_t{1} << (operand_of_[at] & 63);
      make_tensor(buffer, operand, element, &tensors_[at]);
      strides_[at] = varies_in_row(operand) ? static_cast<int64_t>(bytes_of(tensors_[at])) : 0;
      value.kind = KERNIX_VALUE_TENSOR;
      value.as.tensor = &tensors_[at];
      if (result_of_[at] < 0) {
        // XLA may share it with other users.
        value.flags = KERNIX_VALUE_READ_ONLY;
        continue;
      }
      const Buffer &result = *frame_.results.buffers[result_of_[at]];
      if (result.data != buffer.data && bytes_of(tensors_[at]) != 0)
        return kernix_set_error(KERNIX_ERROR_VALUE,
                                "%s: '%s' is read and written, so that its operand and its result must be one array; "
                                "call with input_output_aliases={%d: %d}",
                                function.signature, parameter.name, static_cast<int>(operand_of_[at]),
                                static_cast<int>(result_of_[at]));
    } else if (result_of_[at] >= 0) {
      if (int status = fill_result(i, element, function, &value); status != KERNIX_OK)
        return status;
    } else if (core::is_shadow(parameter)) {
      value.kind = KERNIX_VALUE_NONE; // a gradient that is not wanted
    }
  }
  return KERNIX_OK;
}

int CallBuffers::fill_result(int32_t index, int64_t element, const kernix_function &function, kernix_value *value) {
  const kernix_parameter &parameter = function.parameters[index];
  kernix_dltensor &tensor = tensors_[static_cast<size_t>(index)];
  const Buffer &result = *frame_.results.buffers[result_of_[static_cast<size_t>(index)]];
  make_tensor(result, all_axes, element, &tensor);
  strides_[static_cast<size_t>(index)] = static_cast<int64_t>(bytes_of(tensor));
  if (core::is_allocated(core::treatment(function, parameter), parameter))
    return KERNIX_OK; // the call asks allocate() for it, which compares the shapes
  value->kind = KERNIX_VALUE_TENSOR;
  value->as.tensor = &tensor;
  const bool is_zeroed = core::starts_at_zero(parameter) || (parameter.flags & KERNIX_GRADIENT);
  return is_zeroed ? clear_result(result, tensor) : KERNIX_OK;
}

int CallBuffers::allocate(void *context, int32_t index, kernix_dtype dtype, int32_t ndim, const int64_t *shape, int32_t,
                          int32_t, int zeroed, kernix_dltensor *tensor) {
  CallBuffers &self = *static_cast<CallBuffers *>(context);
  const kernix_function &function = *self.called_;
  const int32_t result = index < 0 ? -1 : self.result_of_[static_cast<size_t>(index)];
  if (result < 0) {
    const int status = self.allocate_scratch(index, dtype, ndim, shape, tensor);
    return status == KERNIX_OK && zeroed ? self.fill_with_zeros(*tensor) : status;
  }
  const Buffer &buffer = *self.frame_.results.buffers[result];
  self.make_tensor(buffer, all_axes, self.element_, tensor);
  const bool fits =
      core::same_dtype(tensor->dtype, dtype) && tensor->ndim == ndim && std::equal(shape, shape + ndim, tensor->shape);
  if (!fits)
    return kernix_set_error(KERNIX_ERROR_VALUE, "%s: result '%s': expected %s of shape %s, got %s of shape %s",
                            function.signature, name_of(function, index), core::dtype_text(dtype).c_str(),
                            core::tuple_text(shape, ndim).c_str(), core::dtype_text(tensor->dtype).c_str(),
                            core::tuple_text(tensor->shape, tensor->ndim).c_str());
  return zeroed ? self.clear_result(buffer, *tensor) : KERNIX_OK;
}

} // namespace kernix::lanes::xla
