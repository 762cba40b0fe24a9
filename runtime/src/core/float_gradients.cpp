// runtime/src/core/float_gradients.cpp - gradients of 16-bit numbers that f_bwd sums in float.

#include "core/float_gradients.h"

#include "core/half.h"
#include "cuda/rounding.h"

#include <algorithm>
#include <cstring>

namespace kernix::core {

namespace {

bool has_16_bits(const kernix_dtype &dtype) {
  return dtype.bits == 16 && (dtype.code == KERNIX_FLOAT || dtype.code == KERNIX_BFLOAT);
}

bool is_only_added_to(const kernix_parameter &parameter) {
  return (parameter.flags & (KERNIX_GRADIENT | KERNIX_COTANGENT | KERNIX_CARRIED)) == KERNIX_GRADIENT;
}

/// Elements from the first to those with the lowest and the highest address.
void extent_of(const kernix_dltensor &tensor, int64_t *lowest, int64_t *highest) {
  *lowest = *highest = 0;
  int64_t step = 1; // of a tensor without strides
  for (int32_t axis = tensor.ndim - 1; axis >= 0; --axis) {
    const int64_t way = (tensor.shape[axis] - 1) * (tensor.strides ? tensor.strides[axis] : step);
    *(way < 0 ? lowest : highest) += way;
    step *= tensor.shape[axis];
  }
  // A vector is one element of several lanes.
  *highest = (*highest + 1) * tensor.dtype.lanes - 1;
  *lowest *= tensor.dtype.lanes;
}

/// On the CPU.
void round_to(const kernix_dtype &dtype, uint16_t *elements, const float *sums, int64_t count) {
  const bool is_half = dtype.code == KERNIX_FLOAT;
  for (int64_t k = 0; k < count; ++k) {
    if (sums[k] == 0)
      continue;
    const double old = is_half ? from_float16(elements[k]) : from_bfloat16(elements[k]);
    elements[k] =
        is_half ? to_float16(old + static_cast<double>(sums[k])) : to_bfloat16(old + static_cast<double>(sums[k]));
  }
}

} // namespace

bool can_be_in_float(const Frame &frame, int32_t index) {
  return is_only_added_to(frame.parameter(index)) && has_16_bits(frame.dtype_of(index));
}

bool can_be_in_float(const kernix_function &function) {
  if (function.kind != KERNIX_KERNEL || function.derivative != KERNIX_BACKWARD_DERIVATIVE || !function.facts)
    return false;
  for (int32_t i = 0; i < function.num_parameters; ++i)
    if (const kernix_parameter &parameter = function.parameters[i]; is_only_added_to(parameter))
      if (has_16_bits(parameter.dtype) || has_16_bits(function.parameters[parameter.shadow_of].dtype))
        return true;
  return false;
}

int FloatGradients::prepare() {
  for (int32_t i = 0; i < frame_.function().num_parameters; ++i) {
    const Argument &argument = frame_.argument(i);
    if (!argument.is_in_float || !argument.tensor || !argument.tensor->data || frame_.numel(i) == 0)
      continue;
    const kernix_dltensor &tensor = *argument.tensor;
    int64_t lowest = 0, highest = 0;
    extent_of(tensor, &lowest, &highest);
    Gradient gradient = {i, highest - lowest + 1, nullptr, nullptr};
    gradient.first = static_cast<char *>(tensor.data) + tensor.byte_offset + lowest * 2;
    const size_t bytes = static_cast<size_t>(gradient.elements) * sizeof(float);
    void *sums = nullptr;
    if (int status = memory_.allocate(i, bytes, bytes, &sums); status != KERNIX_OK)
      return status;
    gradient.sums = static_cast<float *>(sums);
    gradients_.push_back(gradient);
    // The pointer to be passed, or the view's first field.
    char *const marked = reinterpret_cast<char *>(gradient.sums - lowest) + 1;
    std::memcpy(argument.object, &marked, sizeof marked);
  }
  return KERNIX_OK;
}

int FloatGradients::round() {
  for (const Gradient &gradient : gradients_) {
    const kernix_dtype dtype = frame_.dtype_of(gradient.index);
    if (!frame_.is_cuda())
      round_to(dtype, static_cast<uint16_t *>(gradient.first), gradient.sums, gradient.elements);
    else if (int status = cuda::round(frame_.function(), std::max(frame_.device_id(), 0), dtype, gradient.first,
                                      gradient.sums, gradient.elements, stream_);
             status != KERNIX_OK)
      return status;
  }
  return KERNIX_OK;
}

} // namespace kernix::core
