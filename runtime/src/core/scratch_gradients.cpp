// runtime/src/core/scratch_gradients.cpp - gradients that f_bwd keeps in scratch memory until it is done.

#include "core/scratch_gradients.h"

#include "core/extent.h"
#include "core/half.h"
#include "cuda/scratch_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace kernix::core {

namespace {

bool has_16_bits(const kernix_dtype &dtype) {
  return dtype.bits == 16 && (dtype.code == KERNIX_FLOAT || dtype.code == KERNIX_BFLOAT);
}

bool is_only_added_to(const kernix_parameter &parameter) {
  return (parameter.flags & (KERNIX_GRADIENT | KERNIX_COTANGENT | KERNIX_CARRIED)) == KERNIX_GRADIENT;
}

/// f_bwd is one that the plugin has written.
bool is_backward_kernel(const kernix_function &function) {
  return function.kind == KERNIX_KERNEL && function.derivative == KERNIX_BACKWARD_DERIVATIVE && function.facts;
}

// On the CPU.

template <class T> T sum_of(const Copies &copies, int64_t number) {
  constexpr int64_t of_sector = KERNIX_SECTOR_BYTES / sizeof(T);
  const T *copy = static_cast<const T *>(copies.sums) + number / of_sector * copies.of_each * of_sector;
  T sum = 0;
  for (int64_t k = 0; k < copies.of_each; ++k, copy += of_sector)
    sum += copy[number % of_sector];
  return sum;
}

/// Each sum is rounded once. Elements to which nothing has been added are left alone: they may be none of the
/// gradient's.
template <class Element, class T, class Add> void add_copies(const Copies &copies, Add add) {
  for (int64_t k = 0; k < copies.elements; ++k)
    if (const T sum = sum_of<T>(copies, copies.skipped + k); sum != 0)
      add(static_cast<Element *>(copies.first)[k], sum);
}

void add_copies(const Copies &copies) {
  if (copies.dtype.bits == 64)
    return add_copies<double, double>(copies, [](double &e, double sum) { e += sum; });
  if (copies.dtype.bits == 32)
    return add_copies<float, float>(copies, [](float &e, float sum) { e += sum; });
  if (copies.dtype.code == KERNIX_FLOAT)
    return add_copies<uint16_t, float>(
        copies, [](uint16_t &e, float sum) { e = to_float16(from_float16(e) + static_cast<double>(sum)); });
  add_copies<uint16_t, float>(
      copies, [](uint16_t &e, float sum) { e = to_bfloat16(from_bfloat16(e) + static_cast<double>(sum)); });
}

void add_notes(const kernix_dtype &dtype, const kernix_note *notes, int64_t count) {
  for (const kernix_note *note = notes; note != notes + count; ++note)
    if (note->element && dtype.bits == 64)
      *static_cast<double *>(note->element) += note->added.of_double;
    else if (note->element)
      *static_cast<float *>(note->element) += note->added.of_float;
}

} // namespace

bool can_be_in_float(const Frame &frame, int32_t index) {
  return is_only_added_to(frame.parameter(index)) && has_16_bits(frame.dtype_of(index));
}

bool may_use_scratch(const kernix_function &function) {
  if (!is_backward_kernel(function))
    return false;
  for (int32_t i = 0; i < function.num_parameters; ++i) {
    const kernix_parameter &parameter = function.parameters[i];
    if (!is_only_added_to(parameter))
      continue;
    if (parameter.replicas || parameter.notes || has_16_bits(parameter.dtype) ||
        has_16_bits(function.parameters[parameter.shadow_of].dtype))
      return true;
  }
  return false;
}

int ScratchGradients::fail_size(int32_t index) const {
  return frame_.fail(KERNIX_ERROR_MEMORY, "the scratch memory for the gradient of '" +
                                              std::string(frame_.parameter(index).name) + "' would be too large");
}

void ScratchGradients::pass(int32_t index, void *memory) const {
  char *const marked = static_cast<char *>(memory) + 1;
  // The pointer to be passed, or the view's first field.
  std::memcpy(frame_.argument(index).object, &marked, sizeof marked);
}

int ScratchGradients::prepare(const LaunchSizes &sizes) {
  if (!is_backward_kernel(frame_.function()))
    return KERNIX_OK;
  for (int32_t i = 0; i < frame_.function().num_parameters; ++i) {
    const kernix_parameter &parameter = frame_.parameter(i);
    const Argument &argument = frame_.argument(i);
    if (!argument.is_in_float && !argument.is_in_scratch)
      continue;
    if (!argument.tensor || !argument.tensor->data || frame_.numel(i) == 0)
      continue;
    const bool has_notes = argument.is_in_scratch && parameter.notes;
    const int64_t replicas = argument.is_in_scratch ? parameter.replicas : 1;
    if (int status = has_notes ? prepare_notes(i, parameter.notes, sizes) : prepare_copies(i, replicas);
        status != KERNIX_OK)
      return status;
  }
  return KERNIX_OK;
}

int ScratchGradients::prepare_copies(int32_t index, int64_t of_each) {
  const kernix_dltensor &tensor = *frame_.argument(index).tensor;
  const kernix_dtype dtype = frame_.dtype_of(index);
  const Reach reach = reach_of(tensor);
  // A vector is one element of several lanes.
  const int64_t lowest = reach.lowest * tensor.dtype.lanes, highest = (reach.highest + 1) * tensor.dtype.lanes - 1;
  const int64_t of_sector = KERNIX_SECTOR_BYTES / (dtype.bits == 64 ? 8 : 4);
  // The sectors before the one in which the first element's numbers begin.
  const int64_t before = (of_sector - 1 - lowest) / of_sector;
  Copies copies = {dtype, nullptr, highest - lowest + 1, lowest + before * of_sector, of_each, nullptr};
  copies.first = static_cast<char *>(tensor.data) + tensor.byte_offset + lowest * (dtype.bits / 8);
  const int64_t sectors = before + highest / of_sector + 1;
  int64_t bytes = 0;
  if (__builtin_mul_overflow(sectors, of_each * KERNIX_SECTOR_BYTES, &bytes))
    return fail_size(index);
  if (int status = memory_.allocate(index, static_cast<size_t>(bytes), static_cast<size_t>(bytes), &copies.sums);
      status != KERNIX_OK)
    return status;
  copies_.push_back(copies);
  pass(index, static_cast<char *>(copies.sums) + before * of_each * KERNIX_SECTOR_BYTES);
  return KERNIX_OK;
}

int ScratchGradients::prepare_notes(int32_t index, int64_t of_thread, const LaunchSizes &sizes) {
  const kernix_dltensor &tensor = *frame_.argument(index).tensor;
  Notes notes = {frame_.dtype_of(index), of_thread, nullptr};
  for (int axis = 0; axis < 3; ++axis)
    if (__builtin_mul_overflow(notes.count, sizes.block[axis], &notes.count) ||
        __builtin_mul_overflow(notes.count, sizes.grid[axis], &notes.count))
      return fail_size(index);
  int64_t bytes = 0;
  if (__builtin_mul_overflow(notes.count, sizeof(kernix_note), &bytes) ||
      __builtin_add_overflow(bytes, offsetof(kernix_notes, notes), &bytes))
    return fail_size(index);
  void *memory = nullptr;
  if (int status = memory_.allocate(index, static_cast<size_t>(bytes), static_cast<size_t>(bytes), &memory);
      status != KERNIX_OK)
    return status;
  notes.notes = static_cast<kernix_notes *>(memory);
  void *const gradient = static_cast<char *>(tensor.data) + tensor.byte_offset;
  if (!frame_.is_cuda())
    notes.notes->gradient = gradient;
  else if (int status = cuda::store_pointer(frame_.function(), std::max(frame_.device_id(), 0), &notes.notes->gradient,
                                            gradient, stream_);
           status != KERNIX_OK)
    return status;
  notes_.push_back(notes);
  pass(index, memory);
  return KERNIX_OK;
}

int ScratchGradients::add() {
  const kernix_function &function = frame_.function();
  const int device = std::max(frame_.device_id(), 0);
  for (const Copies &all : copies_)
    if (!frame_.is_cuda())
      add_copies(all);
    else if (int status = cuda::add_copies(function, device, all, stream_); status != KERNIX_OK)
      return status;
  for (const Notes &all : notes_)
    if (!frame_.is_cuda())
      add_notes(all.dtype, all.notes->notes, all.count);
    else if (int status = cuda::add_notes(function, device, all.dtype, all.notes->notes, all.count, stream_);
             status != KERNIX_OK)
      return status;
  return KERNIX_OK;
}

} // namespace kernix::core
