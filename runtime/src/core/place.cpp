// runtime/src/core/place.cpp - allocates missing outputs and builds the C++ objects that the function is passed.

#include "core/frame.h"
#include "core/results.h"

#include "core/text.h"
#include "core/view.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace kernix::core {

using State = Argument::State;

namespace {

char *data_of(const kernix_dltensor &tensor) {
  return tensor.data ? static_cast<char *>(tensor.data) + tensor.byte_offset : nullptr;
}

} // namespace

int32_t Frame::first_output() const {
  for (int32_t i = 0; i < function_.num_parameters; ++i)
    if (is_primal_output(i))
      return i;
  return -1;
}

bool Frame::all_outputs_are_empty() {
  bool has_output = false;
  for (int32_t i = 0; i < function_.num_parameters; ++i) {
    // What has no gradient, and sizes that nobody knows, keeps no other from being empty.
    const bool is_counted = is_primal_output(i) && sizes_of(i).state != State::Null;
    if (!is_counted || (argument(i).has_only_sizes && resolve_shape(i) != KERNIX_OK))
      continue;
    if (numel(i) != 0)
      return false;
    has_output = true;
  }
  return has_output;
}

bool Frame::has_uninitialised_output() const {
  for (int32_t i = 0; i < function_.num_parameters; ++i)
    if (argument(i).state == State::Computed && !argument(i).has_only_sizes &&
        is_tensor(treatment(function_, parameter(i))) && !starts_at_zero(parameter(i)) && numel(i) != 0)
      return true;
  return false;
}

int Frame::allocate() {
  for (int32_t i = 0; i < function_.num_parameters; ++i) {
    Argument &argument = this->argument(i);
    const kernix_parameter &target = parameter(i);
    if (argument.state != State::Computed || argument.has_only_sizes || !is_tensor(treatment(function_, target)))
      continue;
    if (!options_ || !options_->allocate)
      return fail(KERNIX_ERROR_TYPE,
                  std::string("argument '") + target.name + "' must be given: this caller cannot allocate outputs");
    const int32_t ndim = argument.ndim + target.element_ndim;
    argument.own_tensor = {};
    const bool on_host = (target.flags & KERNIX_HOST_MEMORY) != 0;
    const kernix_dtype dtype = dtype_of(i);
    if (dtype.code == KERNIX_NO_DTYPE)
      return fail(KERNIX_ERROR_TYPE,
                  std::string("argument '") + target.name +
                      "' must be given: nothing says what dtype a kernix::Tensor without the shape of "
                      "another tensor has; kernix::TensorView<T> does");
    const int status =
        options_->allocate(options_->allocate_context, i, dtype, ndim, argument.shape,
                           on_host ? static_cast<int32_t>(KERNIX_CPU) : device_type(),
                           on_host || device_id_ < 0 ? 0 : device_id_, starts_at_zero(target), &argument.own_tensor);
    if (status != KERNIX_OK)
      return status;
    const kernix_dltensor &tensor = argument.own_tensor;
    const bool is_right = same_dtype(tensor.dtype, dtype) && tensor.ndim == ndim &&
                          std::equal(tensor.shape, tensor.shape + ndim, argument.shape);
    if (!is_right)
      return fail(KERNIX_ERROR_RUNTIME, i,
                  "an allocated tensor of " + dtype_text(dtype) + " and shape " + tuple_text(argument.shape, ndim),
                  dtype_text(tensor.dtype) + " and " + tuple_text(tensor.shape, tensor.ndim));
    argument.tensor = &tensor;
    if (numel(i) == 0)
      continue;
    if (int status = check_memory(i, tensor); status != KERNIX_OK)
      return status;
    if (int status = check_strides(i, tensor); status != KERNIX_OK)
      return status;
  }
  return KERNIX_OK;
}

int Frame::place(void *storage) {
  ResultLayout results(storage);
  if (function_.result.passing != KERNIX_PASS_VOID)
    results.take(function_.result);
  for (int32_t i = 0; i < function_.num_parameters; ++i) {
    const kernix_parameter &target = parameter(i);
    const Treatment kind = treatment(function_, target);
    if (kind == Treatment::Local) {
      void *const result = results.take(target);
      std::memset(result, 0, static_cast<size_t>(target.size));
      argument(i).object = result;
      argument(i).result = result;
      // The C++ object of `T *` is a pointer, that of `T (&)[N]` the array.
      if (target.passing == KERNIX_PASS_ARRAY) {
        argument(i).object = arena_.allocate(sizeof result, alignof(void *));
        std::memcpy(argument(i).object, &result, sizeof result);
      }
    } else if (is_tensor(kind)) {
      place_tensor(i);
    }
  }
  return KERNIX_OK;
}

/// Of a tensor's elements, or what stands for them where they are not read: null would say that f had none.
char *Frame::address_of(int32_t index) const {
  alignas(256) static char unread[256];
  const Argument &argument = this->argument(index);
  const kernix_dltensor *const memory = argument.tensor ? argument.tensor : stand_in(index);
  if (memory)
    return data_of(*memory);
  // A kernel that is written by hand is told that it is given none.
  const bool is_by_hand = function_.kind == KERNIX_KERNEL && !function_.facts;
  return argument.has_only_sizes && !is_by_hand ? unread : nullptr;
}

void Frame::place_tensor(int32_t index) {
  const kernix_parameter &target = parameter(index);
  Argument &argument = this->argument(index);
  char *data = address_of(index);
  switch (target.passing) {
  case KERNIX_PASS_TENSOR_VIEW: {
    kernix_tensor_view *const view = view_of(index);
    place_view(index, view);
    if (!argument.tensor && !stand_in(index))
      view->data = data;
    else if (argument.is_marked)
      view->data = static_cast<char *>(view->data) + 1;
    argument.object = view;
    return;
  }
  case KERNIX_PASS_TENSOR: {
    auto *tensor = static_cast<kernix_tensor *>(arena_.allocate(sizeof(kernix_tensor), alignof(kernix_tensor)));
    place_any(index, tensor);
    argument.object = tensor;
    return;
  }
  default:
    break;
  }
  if (argument.is_marked && data)
    ++data;
  if (target.passing != KERNIX_PASS_POINTER && function_.kind != KERNIX_KERNEL) {
    argument.object = data; // a reference: the thunk wants the referenced object itself
    return;
  }
  argument.object = arena_.allocate(sizeof data, alignof(char *));
  std::memcpy(argument.object, &data, sizeof data);
}

/// What messages of the checks in kernels call the parameter, and what tells one launch from the others.
void Frame::place_check(const kernix_parameter &target, kernix_view_check *check) {
  static std::atomic<uint64_t> calls{0};
  if (call_number_ == 0)
    call_number_ = calls.fetch_add(1, std::memory_order_relaxed) + 1;
  check->launch = call_number_;
  std::memset(check->name, 0, sizeof check->name);
  std::memcpy(check->name, target.name, std::min(std::strlen(target.name), sizeof check->name - 1));
}

/// Memory for the view of a parameter. A value comes before its shadow.
kernix_tensor_view *Frame::view_of(int32_t index) {
  const kernix_parameter &target = parameter(index);
  if (target.flags & KERNIX_CARRIED)
    return static_cast<kernix_tensor_view *>(argument(target.shadow_of).object) + 1;
  const bool has_shadow = (target.flags & KERNIX_DIFF_VIEW) != 0;
  const size_t size = has_shadow ? static_cast<size_t>(target.size) : sizeof(kernix_tensor_view);
  auto *const views = static_cast<kernix_tensor_view *>(arena_.allocate(size, alignof(kernix_tensor_view)));
  if (!has_shadow)
    return views;
  std::memset(views + 1, 0, size - sizeof *views); // no gradient, no scratch memory
  // Which is smaller than what comes before it.
  if (size >= 2 * sizeof *views + sizeof(kernix_view_check))
    place_check(target, reinterpret_cast<kernix_view_check *>(views + 2));
  return views;
}

void Frame::place_view(int32_t index, kernix_tensor_view *view) const {
  const kernix_parameter &target = parameter(index);
  const Argument &own = argument(index), &argument = sizes_of(index);
  if (argument.has_only_sizes) {
    fill_row_major(*view, nullptr, argument.shape, argument.ndim);
    return;
  }
  if (!argument.tensor) {
    std::memset(view, 0, sizeof *view);
    view->ndim = target.rank > 0 ? target.rank : 1;
    return;
  }
  const kernix_dltensor &tensor = *argument.tensor;
  fill_row_major(*view, data_of(tensor), argument.shape, argument.ndim);
  // An output that is not given is taken to be as f allocates it, whatever strides its cotangent has.
  const bool is_as_allocated = &own != &argument && (target.flags & KERNIX_PRIMAL_OUTPUT);
  if (!tensor.strides || is_as_allocated)
    return;
  int64_t element = 1;
  for (int32_t d = 0; d < target.element_ndim; ++d)
    element *= target.element_shape[d];
  for (int32_t d = 0; d < argument.ndim; ++d)
    view->strides[d] = element == 1 ? tensor.strides[d] : tensor.strides[d] / element;
}

void Frame::place_any(int32_t index, kernix_tensor *object) const {
  const kernix_parameter &target = parameter(index);
  const Argument &own = argument(index), &argument = sizes_of(index);
  if (!argument.tensor) {
    std::memset(object, 0, sizeof *object);
    if (argument.has_only_sizes)
      fill_row_major(*object, address_of(index), argument.shape, argument.ndim + target.element_ndim);
    else
      object->ndim = target.rank > 0 ? target.rank : 1;
    object->device_type = device_type();
    object->device_id = device_id_ < 0 ? 0 : device_id_;
    object->dtype = argument.has_only_sizes ? dtype_of(index) : target.dtype;
    return;
  }
  const kernix_dltensor &tensor = *argument.tensor;
  fill_row_major(*object, own.tensor ? data_of(tensor) : address_of(index), tensor.shape, tensor.ndim);
  object->dtype = tensor.dtype;
  object->device_type = tensor.device_type;
  object->device_id = tensor.device_id;
  if (tensor.strides && own.tensor)
    std::copy_n(tensor.strides, tensor.ndim, object->strides);
}

size_t result_storage_size(const kernix_function &function) {
  ResultLayout results(nullptr);
  if (function.result.passing != KERNIX_PASS_VOID)
    results.take(function.result);
  for (int32_t i = 0; i < function.num_parameters; ++i)
    if (treatment(function, function.parameters[i]) == Treatment::Local)
      results.take(function.parameters[i]);
  return results.total();
}

} // namespace kernix::core
