// runtime/src/core/check_tensor.cpp - checks of a tensor that the caller gave.
//
// dtype, rank, element axes, device, null data, alignment, strides, writability. Declared shapes are compared in
// resolve.cpp, since they may depend on other arguments.

#include "core/frame.h"

#include "core/text.h"

#include <cstdio>

namespace kernix::core {

using State = Argument::State;

namespace {

std::string shape_of(const kernix_dltensor &tensor) { return tuple_text(tensor.shape, tensor.ndim); }

std::string tensor_text(kernix_dtype dtype) {
  return dtype.code == KERNIX_NO_DTYPE ? "a tensor" : "a tensor of " + dtype_text(dtype);
}

bool is_cpu(int32_t device_type) { return device_type == KERNIX_CPU || device_type == KERNIX_CUDA_HOST; }
bool is_gpu(int32_t device_type) { return device_type == KERNIX_CUDA || device_type == KERNIX_CUDA_MANAGED; }

const char *data_of(const kernix_dltensor &tensor) {
  return static_cast<const char *>(tensor.data) + tensor.byte_offset;
}

int64_t product(const int64_t *shape, int32_t ndim) {
  int64_t result = 1;
  for (int32_t d = 0; d < ndim; ++d)
    result *= shape[d];
  return result;
}

/// Row-major over the axes from `first` on; axes of size 1 may have any stride.
bool is_contiguous_from(const kernix_dltensor &tensor, int32_t first) {
  int64_t expected = 1;
  for (int32_t d = tensor.ndim - 1; d >= first; --d) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected)
      return false;
    expected *= tensor.shape[d];
  }
  return true;
}

} // namespace

int Frame::fail_tensor_kind(int32_t index) const {
  const kernix_parameter &target = parameter(index);
  std::string expected = tensor_text(target.dtype);
  if (target.passing == KERNIX_PASS_REFERENCE)
    expected += " with one element (the function writes to this reference)";
  return fail(KERNIX_ERROR_TYPE, index, expected, value_text(values_[index]));
}

int Frame::bind_tensor(int32_t index, Treatment kind) {
  const kernix_value &value = values_[index];
  if (value.kind != KERNIX_VALUE_TENSOR)
    return fail_tensor_kind(index);
  const kernix_parameter &target = parameter(index);
  const kernix_dltensor &tensor = *value.as.tensor;
  if (kind != Treatment::Tensor) {
    if (int status = check_cell(index, tensor); status != KERNIX_OK)
      return status;
  } else {
    const bool fits =
        target.dtype.code == KERNIX_NO_DTYPE ? tensor.dtype.lanes == 1 : same_dtype(tensor.dtype, target.dtype);
    if (!fits)
      return fail(KERNIX_ERROR_TYPE, index, tensor_text(target.dtype), "one of " + dtype_text(tensor.dtype));
    if (int status = check_element(index, tensor); status != KERNIX_OK)
      return status;
  }
  if (purpose_ == Purpose::Call) {
    if (int status = check_device(index, kind, tensor); status != KERNIX_OK)
      return status;
    if ((value.flags & KERNIX_VALUE_READ_ONLY) && is_written(target))
      return fail(KERNIX_ERROR_VALUE, index, "a writable tensor (the function writes to it)", "a read-only one");
    if (product(tensor.shape, tensor.ndim) != 0) {
      if (int status = check_memory(index, tensor); status != KERNIX_OK)
        return status;
      if (int status = check_strides(index, tensor); status != KERNIX_OK)
        return status;
    }
  }
  Argument &argument = this->argument(index);
  argument.tensor = &tensor;
  argument.shape = tensor.shape;
  argument.ndim = tensor.ndim - (kind == Treatment::Tensor ? target.element_ndim : 0);
  argument.state = State::Given;
  argument.is_given = true;
  return KERNIX_OK;
}

int Frame::check_element(int32_t index, const kernix_dltensor &tensor) const {
  const kernix_parameter &target = parameter(index);
  if (tensor.ndim > KERNIX_MAX_RANK)
    return fail(KERNIX_ERROR_VALUE, index, "at most " + std::to_string(KERNIX_MAX_RANK) + " axes",
                std::to_string(tensor.ndim) + " of shape " + shape_of(tensor));
  const int32_t axes = tensor.ndim - target.element_ndim;
  if (target.rank >= 0 ? axes != target.rank : axes < 0) {
    std::string expected = "a tensor of rank ";
    expected += target.rank >= 0 ? std::to_string(target.rank + target.element_ndim)
                                 : std::to_string(target.element_ndim) + " or more";
    if (target.element_ndim)
      expected += std::string(" (one element is ") + tuple_text(target.element_shape, target.element_ndim) + ")";
    return fail(KERNIX_ERROR_VALUE, index, expected,
                "rank " + std::to_string(tensor.ndim) + ", shape " + shape_of(tensor));
  }
  for (int32_t d = 0; d < target.element_ndim; ++d)
    if (tensor.shape[axes + d] != target.element_shape[d])
      return fail(KERNIX_ERROR_VALUE, index,
                  "a shape that ends in " + tuple_text(target.element_shape, target.element_ndim) +
                      " (one element of " + target.type + ")",
                  shape_of(tensor));
  return KERNIX_OK;
}

int Frame::check_cell(int32_t index, const kernix_dltensor &tensor) const {
  const kernix_parameter &target = parameter(index);
  kernix_dtype dtype = target.dtype;
  int64_t count = array_length(target) * product(target.element_shape, target.element_ndim);
  if (dtype.code == KERNIX_NO_DTYPE) { // a struct of mixed fields: its bytes
    dtype = {KERNIX_UINT, 8, 1};
    count *= target.size;
  } else if (has_fields(target)) {
    count *= target.size / (dtype.bits / 8);
  }
  if (!same_dtype(tensor.dtype, dtype))
    return fail(KERNIX_ERROR_TYPE, index, tensor_text(dtype), "one of " + dtype_text(tensor.dtype));
  if (tensor.ndim > KERNIX_MAX_RANK || product(tensor.shape, tensor.ndim) != count)
    return fail(KERNIX_ERROR_VALUE, index,
                "a tensor of " + std::to_string(count) + (count == 1 ? " element" : " elements"),
                "one of shape " + shape_of(tensor));
  return KERNIX_OK;
}

int Frame::check_device(int32_t index, Treatment kind, const kernix_dltensor &tensor) {
  // A reference of a host function is host memory, whatever the module is compiled for.
  if (!is_cuda() || (parameter(index).flags & KERNIX_HOST_MEMORY) ||
      (kind == Treatment::Cell && function_.kind != KERNIX_KERNEL)) {
    if (is_cpu(tensor.device_type))
      return KERNIX_OK;
    return fail(KERNIX_ERROR_VALUE, index,
                is_cuda() ? "a tensor on the CPU (a reference of a host function)"
                          : "a tensor on the CPU (the module is compiled for it)",
                "one on " + device_text(tensor.device_type, tensor.device_id));
  }
  if (!is_gpu(tensor.device_type))
    return fail(KERNIX_ERROR_VALUE, index, "a CUDA tensor (the module is compiled for CUDA)",
                "one on " + device_text(tensor.device_type, tensor.device_id));
  if (device_owner_ < 0) {
    device_owner_ = index;
    device_id_ = tensor.device_id;
  } else if (tensor.device_id != device_id_) {
    return fail(KERNIX_ERROR_VALUE, index,
                "a tensor on cuda:" + std::to_string(device_id_) + " like '" + parameter(device_owner_).name + "'",
                "one on " + device_text(tensor.device_type, tensor.device_id));
  }
  return KERNIX_OK;
}

int Frame::check_memory(int32_t index, const kernix_dltensor &tensor) const {
  const kernix_parameter &target = parameter(index);
  if (!tensor.data)
    return fail(KERNIX_ERROR_VALUE, index, "a tensor with data", "a null pointer for shape " + shape_of(tensor));
  const uintptr_t address = reinterpret_cast<uintptr_t>(data_of(tensor));
  const uintptr_t alignment = target.element_alignment > 1 ? static_cast<uintptr_t>(target.element_alignment) : 1;
  if (address & (alignment - 1)) {
    char text[32];
    std::snprintf(text, sizeof text, "address 0x%zx", static_cast<size_t>(address));
    return fail(KERNIX_ERROR_VALUE, index,
                "data aligned to " + std::to_string(target.element_alignment) + " bytes (" + target.type + ")", text);
  }
  return KERNIX_OK;
}

int Frame::check_strides(int32_t index, const kernix_dltensor &tensor) const {
  if (!tensor.strides)
    return KERNIX_OK;
  const kernix_parameter &target = parameter(index);
  const bool is_view = target.passing == KERNIX_PASS_TENSOR_VIEW || target.passing == KERNIX_PASS_TENSOR;
  const auto strides = [&] {
    return "shape " + shape_of(tensor) + " with strides " + tuple_text(tensor.strides, tensor.ndim);
  };
  if (!is_view) {
    if (is_contiguous_from(tensor, 0))
      return KERNIX_OK;
    return fail(KERNIX_ERROR_VALUE, index, std::string("a contiguous tensor (") + target.type + " has no strides)",
                strides());
  }
  if (target.element_ndim == 0)
    return KERNIX_OK;
  const int32_t axes = tensor.ndim - target.element_ndim;
  const int64_t element = product(target.element_shape, target.element_ndim);
  bool fits = is_contiguous_from(tensor, axes);
  for (int32_t d = 0; d < axes; ++d)
    fits = fits && (tensor.shape[d] == 1 || tensor.strides[d] % element == 0);
  if (fits)
    return KERNIX_OK;
  return fail(KERNIX_ERROR_VALUE, index,
              "elements of " + std::to_string(element) + " adjacent values (" + target.type + ")", strides());
}

} // namespace kernix::core
