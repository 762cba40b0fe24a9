// runtime/python/src/call.cpp

#include "call.h"
#include "allocate.h"
#include "bind.h"
#include "choice.h"
#include "errors.h"
#include "pack.h"
#include "recording.h"
#include "state.h"

#include <cstring>

namespace kernix::python {

namespace {

constexpr size_t stack_storage = 256;

} // namespace

Call::Call(Operation &operation, bool is_plain, bool in_fixed_order, bool on_zeros)
    : operation_(operation), plan_(*operation.plan), count_(plan_.parameters.size()), in_fixed_order_(in_fixed_order),
      is_plain_(is_plain), on_zeros_(on_zeros), given_(count_), values_(count_), arrays_(count_), allocated_(count_),
      leaves_(static_cast<size_t>(plan_.num_leaves)) {
  std::memset(allocated_.get(), 0, count_ * sizeof(PyObject *));
}

Call::~Call() {
  for (size_t i = 0; i < count_; ++i) {
    if (arrays_[i].managed || arrays_[i].owner)
      arrays_[i].release();
    Py_XDECREF(allocated_[i]);
  }
}

PyObject *Call::run(PyObject *const *args, Py_ssize_t num_args, PyObject *names) {
  args_ = args, num_args_ = num_args, names_ = names;
  return bind_arguments(plan_, args, num_args, names, given_.get(), &options_) ? dispatch() : nullptr;
}

PyObject *Call::run_row(PyObject *launch) {
  launch_ = launch;
  return !launch || bind_launch(plan_, launch, &options_) ? dispatch() : nullptr;
}

PyObject *Call::variant(PyObject *const *args, Py_ssize_t num_args, PyObject *names) {
  return bind_arguments(plan_, args, num_args, names, given_.get(), &options_) && convert_arguments() &&
                 choose_target() && choose_variant()
             ? PyLong_FromLong(variant_)
             : nullptr;
}

PyObject *Call::dispatch() {
  if (!convert_arguments())
    return nullptr;
  if (plan_.has_choice && !is_plain_ && may_want_choice())
    if (const int wanted = wants_choice(operation_.name))
      return wanted < 0 ? nullptr : call_from_python(state().call_with_choice);
  if (is_jax_)
    return call_from_python(state().call_with_jax);
  if (is_torch_)
    return call_from_python(state().call_with_torch);
  if (wants_graph_) {
    const int is_possible = can_record(*this);
    if (is_possible < 0)
      return nullptr;
    return is_possible ? record(*this) : call_from_python(state().call_with_graph);
  }
  return compute();
}

PyObject *Call::compute() { return choose_target() && choose_variant() && set_stream() ? execute() : nullptr; }

Ref Call::launch_sizes() const {
  if (launch_)
    return Ref::borrowed(launch_);
  if (!options_.has_block && !options_.has_grid && !options_.has_shared_bytes)
    return Ref();
  Ref sizes(PyDict_New());
  const Py_ssize_t count = names_ ? PyTuple_Size(names_) : 0;
  for (Py_ssize_t i = 0; sizes && i < count; ++i) {
    PyObject *name = PyTuple_GetItem(names_, i);
    if (is_launch_size(plan_, name) && PyDict_SetItem(sizes.get(), name, args_[num_args_ + i]))
      return Ref();
  }
  return sizes;
}

Place Call::place(size_t index) const {
  return {plan_.signature, PyUnicode_AsUTF8AndSize(plan_.parameters[index].name, nullptr), is_plain_};
}

/// The same call by a method of `details`.
PyObject *Call::call_from_python(PyObject *method) {
  const Ref row = positional(), named = row ? keywords() : Ref();
  return named ? PyObject_CallMethodObjArgs(operation_.details, method, reinterpret_cast<PyObject *>(&operation_),
                                            row.get(), named.get(), nullptr)
               : nullptr;
}

Ref Call::positional() const {
  Ref row(PyTuple_New(num_args_));
  for (Py_ssize_t i = 0; row && i < num_args_; ++i)
    PyTuple_SetItem(row.get(), i, Py_NewRef(args_[i]));
  return row;
}

Ref Call::keywords() const {
  Ref named(launch_ ? PyDict_Copy(launch_) : PyDict_New());
  const Py_ssize_t num_names = names_ ? PyTuple_Size(names_) : 0;
  for (Py_ssize_t i = 0; named && i < num_names; ++i)
    if (PyDict_SetItem(named.get(), PyTuple_GetItem(names_, i), args_[num_args_ + i]))
      return Ref();
  for (size_t i = 0; named && !args_ && i < count_; ++i)
    if (given_[i] && PyDict_SetItem(named.get(), plan_.parameters[i].shown, given_[i]))
      return Ref();
  return named;
}

bool Call::convert_arguments() {
  kernix_value *next_leaf = leaves_.get();
  for (size_t i = 0; i < count_; ++i) {
    PyObject *object = given_[i];
    const PlannedParameter &parameter = plan_.parameters[i];
    values_[i].flags = 0;
    if (!object || (parameter.none_is_absent && object == Py_None)) {
      given_[i] = nullptr;
      values_[i].kind = KERNIX_VALUE_ABSENT;
    } else if (parameter.is_struct) {
      if (!convert_struct(i, next_leaf, 0))
        return false;
      next_leaf += parameter.num_leaves;
    } else if (!convert(place(i), object, parameter.is_scalar, &values_[i], &arrays_[i])) {
      return false;
    } else {
      wants_graph_ |= arrays_[i].wants_graph;
      is_jax_ |= arrays_[i].is_jax;
      is_torch_ |= arrays_[i].is_torch;
    }
  }
  return true;
}

/// The leaves of a struct argument, as variant `variant` lays them out.
bool Call::convert_struct(size_t index, kernix_value *leaves, long variant) {
  const Ref v(PyLong_FromLong(variant)), number(PyLong_FromSize_t(index));
  if (!v || !number)
    return false;
  Ref flat(PyObject_CallMethodObjArgs(operation_.details, state().struct_leaves, v.get(), number.get(), given_[index],
                                      nullptr));
  if (!flat)
    return false;
  values_[index].kind = KERNIX_VALUE_FIELDS;
  values_[index].as.fields = leaves;
  const Py_ssize_t size = PyTuple_Size(flat.get());
  for (Py_ssize_t k = 0; k < size; ++k) {
    Array array{};
    const bool converted = convert(place(index), PyTuple_GetItem(flat.get(), k), true, &leaves[k], &array);
    array.release();
    wants_graph_ |= array.wants_graph;
    is_jax_ |= array.is_jax;
    is_torch_ |= array.is_torch;
    if (!converted)
      return false;
    if (leaves[k].kind == KERNIX_VALUE_TENSOR) {
      leaves[k].kind = KERNIX_VALUE_OTHER;
      leaves[k].as.type_name = type_name(PyTuple_GetItem(flat.get(), k));
    }
  }
  return true;
}

int Call::cuda_device() const {
  for (size_t i = 0; i < count_; ++i)
    if (arrays_[i].kind != Kind::Other && arrays_[i].tensor.device_type == KERNIX_CUDA)
      return arrays_[i].tensor.device_id;
  return -1;
}

bool Call::choose_target() {
  int target = operation_.default_target;
  for (size_t i = 0; i < count_; ++i) {
    if (arrays_[i].kind == Kind::Other)
      continue;
    if (!like_)
      like_ = &arrays_[i], like_index_ = i;
    target = arrays_[i].tensor.device_type == KERNIX_CUDA ? KERNIX_TARGET_CUDA : KERNIX_TARGET_CPU;
    if (target == KERNIX_TARGET_CUDA)
      break;
  }
  target_ = operation_.operations[target];
  if (target_)
    return true;
  const Ref number(PyLong_FromLong(target));
  const Ref done(number ? PyObject_CallMethodObjArgs(operation_.details, state().need_target, number.get(), nullptr)
                        : nullptr);
  if (!done)
    return false;
  target_ = operation_.operations[target];
  if (!target_)
    raise_error("%s: the module has no such operation for %s", plan_.signature,
                target == KERNIX_TARGET_CUDA ? "CUDA" : "the CPU");
  return target_;
}

bool Call::choose_variant() {
  function_ = target_->functions[0];
  if (target_->num_functions == 1 && !(__atomic_load_n(&kernix_watched, __ATOMIC_RELAXED) & KERNIX_WATCH_AVAILABILITY))
    return true;
  if (const int status = kernix_select(target_, values_.get(), static_cast<int32_t>(count_), &function_)) {
    raise_status(status);
    return false;
  }
  while (target_->functions[variant_] != function_)
    ++variant_;
  return variant_ == 0 || convert_structs_again();
}

bool Call::convert_structs_again() {
  kernix_value *next_leaf = leaves_.get();
  for (size_t i = 0; i < count_; ++i) {
    if (values_[i].kind == KERNIX_VALUE_FIELDS && !convert_struct(i, next_leaf, variant_))
      return false;
    next_leaf += plan_.parameters[i].num_leaves;
  }
  return true;
}

/// The current stream of the framework whose array is first on the device.
bool Call::set_stream() {
  if (target_->module->target != KERNIX_TARGET_CUDA)
    return true;
  for (size_t i = 0; i < count_; ++i) {
    Array &array = arrays_[i];
    if (array.kind == Kind::Other || array.tensor.device_type != KERNIX_CUDA)
      continue;
    if (array.has_stream) {
      options_.stream = array.stream;
    } else if (array.exchange) {
      if (array.exchange->current_stream(KERNIX_CUDA, array.tensor.device_id, &options_.stream)) {
        if (!PyErr_Occurred())
          raise_error("%s: the current stream of CUDA device %d is not known", plan_.signature,
                      static_cast<int>(array.tensor.device_id));
        return false;
      }
    } else {
      return true;
    }
    options_.has_stream = 1;
    return true;
  }
  return true;
}

PyObject *Call::execute() {
  const size_t needed = kernix_result_storage(function_);
  Buffer<char, stack_storage> storage(needed);
  Buffer<kernix_output, stack_parameters + 1> outputs(count_ + 1);
  int32_t num_outputs = 0;
  options_.allocate = allocate;
  options_.allocate_context = this;
  thread_ = PyEval_SaveThread();
  const auto run = in_fixed_order_ ? kernix_call_in_fixed_order : kernix_call;
  const int status = run(function_, values_.get(), static_cast<int32_t>(count_), &options_, storage.get(),
                         outputs.get(), &num_outputs);
  PyEval_RestoreThread(thread_);
  if (status)
    return raise_status(status);
  return count_changes() ? pack(outputs.get(), num_outputs) : nullptr;
}

/// Tells torch of tensors that were given and written, so that a backward that has kept one notices.
bool Call::count_changes() {
  static PyObject *counter = nullptr;
  Ref changed;
  for (size_t i = 0; i < count_; ++i) {
    if (arrays_[i].kind != Kind::Torch || allocated_[i] || function_->parameters[i].role != KERNIX_RET)
      continue;
    if (!changed && !(changed = Ref(PyList_New(0))))
      return false;
    if (PyList_Append(changed.get(), given_[i]))
      return false;
  }
  if (!changed)
    return true;
  if (!counter && !(counter = PyObject_CallFunctionObjArgs(state().version_counter, nullptr)))
    return false;
  return static_cast<bool>(Ref(PyObject_CallFunctionObjArgs(counter, changed.get(), nullptr)));
}

PyObject *Call::pack(const kernix_output *outputs, int32_t count) {
  if (count == 0)
    Py_RETURN_NONE;
  if (count == 1)
    return pack_output(outputs[0]);
  Ref result(PyTuple_New(count));
  for (int32_t i = 0; result && i < count; ++i) {
    PyObject *object = pack_output(outputs[i]);
    if (!object || PyTuple_SetItem(result.get(), i, object))
      return nullptr;
  }
  return result.release();
}

PyObject *Call::pack_output(const kernix_output &output) {
  if (!output.data) {
    const auto index = static_cast<size_t>(output.parameter);
    if (allocated_[index])
      return Py_NewRef(allocated_[index]);
    // The gradient of an optional tensor that was left out is neither given nor allocated.
    return Py_NewRef(given_[index] ? given_[index] : Py_None);
  }
  const kernix_parameter &parameter =
      output.parameter < 0 ? function_->result : function_->parameters[output.parameter];
  return pack_value(operation_.details, variant_, output.parameter, parameter, output.data);
}

int Call::allocate(void *context, int32_t parameter, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                   int32_t device_type, int32_t device_id, int zeroed, kernix_dltensor *tensor) {
  Call &call = *static_cast<Call *>(context);
  if (parameter < 0)
    return call.allocate_scratch(dtype, ndim, shape, device_type, device_id, tensor);
  PyEval_RestoreThread(call.thread_);
  const bool done = call.allocate_output(static_cast<size_t>(parameter), dtype, ndim, shape, device_type, device_id,
                                         zeroed || call.on_zeros_);
  if (done)
    *tensor = call.arrays_[static_cast<size_t>(parameter)].tensor;
  call.thread_ = PyEval_SaveThread();
  return done ? KERNIX_OK : kernix_set_error(KERNIX_ERROR_MEMORY, "an output could not be allocated");
}

/// torch's memory where the arrays are torch's; else the runtime has its own.
int Call::allocate_scratch(kernix_dtype dtype, int32_t ndim, const int64_t *shape, int32_t device_type,
                           int32_t device_id, kernix_dltensor *tensor) {
  if (!like_ || like_->kind != Kind::Torch || like_->tensor.device_type != device_type ||
      like_->tensor.device_id != device_id)
    return KERNIX_OK;
  PyEval_RestoreThread(thread_);
  const OutputRequest request{like_->kind, given_[like_index_], false,     dtype, ndim,
                              shape,       device_type,         device_id, false};
  scratch_.emplace_back(allocate_on_device(request));
  Array array{};
  const bool done = scratch_.back() && convert_fresh(place(like_index_), scratch_.back().get(), &array);
  tensor->data = array.tensor.data; // alive with the object
  tensor->byte_offset = array.tensor.byte_offset;
  if (array.managed || array.owner)
    array.release();
  thread_ = PyEval_SaveThread();
  return done ? KERNIX_OK : kernix_set_error(KERNIX_ERROR_MEMORY, "scratch memory could not be allocated");
}

/// Gradients and tangents are for the framework of the argument that they belong to, all else for that of the first
/// array.
Call::Like Call::like_of(size_t index) const {
  const int32_t value = function_->parameters[index].shadow_of;
  if (PyObject *object = value < 0 ? nullptr : given_[static_cast<size_t>(value)]) {
    const Array &array = arrays_[static_cast<size_t>(value)];
    if (array.kind != Kind::Other)
      return {array.kind, object, &array};
    // A number by a tensor without axes.
    const TypeInfo *type = type_info(Py_TYPE(object));
    if (type && type->kind == Kind::Torch)
      return {Kind::Torch, object, nullptr};
  }
  return like_ ? Like{like_->kind, given_[like_index_], like_} : Like{Kind::Other, Py_None, nullptr};
}

bool Call::allocate_output(size_t index, kernix_dtype dtype, int32_t ndim, const int64_t *shape, int32_t device_type,
                           int32_t device_id, int zeroed) {
  const Like like = like_of(index);
  // What torch makes of zeros takes twice the time of memory that is then set to zero.
  const bool clears = zeroed && like.kind == Kind::Torch;
  const OutputRequest request{
      like.kind,   like.object, like.array && is_like(like.array->tensor, dtype, ndim, shape, device_type),
      dtype,       ndim,        shape,
      device_type, device_id,   zeroed && !clears};
  Array &array = arrays_[index];
  allocated_[index] = kernix::python::allocate(request);
  if (!allocated_[index] || !convert_fresh(place(index), allocated_[index], &array))
    return false;
  if (array.tensor.device_type != device_type || array.tensor.device_id != device_id) {
    array.release();
    Py_DECREF(std::exchange(allocated_[index], allocate_on_device(request)));
    if (!allocated_[index] || !convert_fresh(place(index), allocated_[index], &array))
      return false;
  }
  return !clears || clear(array.tensor);
}

/// Sets a tensor without gaps to zero, in the order of the call's stream.
bool Call::clear(const kernix_dltensor &tensor) const {
  size_t size = tensor.dtype.bits / 8;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    size *= static_cast<size_t>(tensor.shape[d]);
  void *data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  if (size != 0 && tensor.device_type == KERNIX_CPU)
    std::memset(data, 0, size);
  else if (size != 0 && (!function_->cuda || !function_->cuda->memset_async ||
                         function_->cuda->memset_async(data, 0, size, options_.stream) != 0))
    return raise_error("%s: an output could not be set to zero", plan_.signature);
  return true;
}

/// The array is what the output shall be: frameworks have a shorter way then.
bool Call::is_like(const kernix_dltensor &array, kernix_dtype dtype, int32_t ndim, const int64_t *shape,
                   int32_t device_type) {
  if (array.device_type != device_type || array.ndim != ndim || array.dtype.code != dtype.code ||
      array.dtype.bits != dtype.bits)
    return false;
  int64_t stride = 1;
  for (int32_t d = ndim - 1; d >= 0; --d) {
    if (array.shape[d] != shape[d] || (array.strides && array.strides[d] != stride))
      return false;
    stride *= shape[d];
  }
  return true;
}

namespace {

PyObject *run(PyObject *self, PyObject *const *args, Py_ssize_t num_args, PyObject *names, bool is_plain,
              bool in_fixed_order = false, bool on_zeros = false) {
  auto &operation = *reinterpret_cast<Operation *>(self);
  if (!operation.plan)
    return raise_error("the operation has no library");
  Call call(operation, is_plain, in_fixed_order, on_zeros);
  return call.run(args, num_args, names);
}

} // namespace

PyObject *call_operation(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names) {
  return run(self, args, static_cast<Py_ssize_t>(nargsf & ~vectorcall_arguments_offset), names, false);
}

PyObject *call_plainly(PyObject *self, PyObject *const *args, Py_ssize_t num_args, PyObject *names) {
  return run(self, args, num_args, names, true);
}

PyObject *call_in_fixed_order(PyObject *self, PyObject *const *args, Py_ssize_t num_args, PyObject *names) {
  return run(self, args, num_args, names, true, true);
}

PyObject *variant_of_call(PyObject *self, PyObject *const *args, Py_ssize_t num_args, PyObject *names) {
  auto &operation = *reinterpret_cast<Operation *>(self);
  return operation.plan ? Call(operation, /*is_plain=*/false).variant(args, num_args, names)
                        : raise_error("the operation has no library");
}

PyObject *call_on_zeros(PyObject *self, PyObject *const *args, Py_ssize_t num_args, PyObject *names) {
  return run(self, args, num_args, names, false, false, true);
}

} // namespace kernix::python
