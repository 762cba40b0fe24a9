// runtime/python/src/xla.cpp

#include "xla.h"
#include "convert.h"
#include "errors.h"
#include "kernix/batched.h"
#include "kernix/xla.h"
#include "library.h"

#include <deque>
#include <vector>

namespace kernix::python {

namespace {

/// Arguments without data.
class TracedArguments {
public:
  explicit TracedArguments(const kernix_function &function)
      : function_(function), values(static_cast<size_t>(function.num_parameters)) {}

  bool take(PyObject *given) {
    if (PyTuple_Size(given) != function_.num_parameters) {
      raise_type_error("%s: expected %d values", function_.signature, function_.num_parameters);
      return false;
    }
    for (int32_t i = 0; i < function_.num_parameters; ++i)
      if (!take_one(i, PyTuple_GetItem(given, i)))
        return false;
    return true;
  }

private:
  bool take_one(int32_t index, PyObject *object) {
    kernix_value &value = values[static_cast<size_t>(index)];
    value = {};
    if (object == Py_None)
      return true;
    if (PyTuple_Check(object))
      return take_tensor(object, &value);
    if (PyList_Check(object))
      return take_struct(index, object, &value);
    return take_scalar(index, object, &value);
  }

  bool take_scalar(int32_t index, PyObject *object, kernix_value *value) {
    Array array{};
    const bool done = convert({function_.signature, function_.parameters[index].name}, object, true, value, &array);
    if (done && value->kind == KERNIX_VALUE_TENSOR) {
      value->kind = KERNIX_VALUE_OTHER;
      value->as.type_name = type_name(object);
    }
    array.release();
    return done;
  }

  bool take_struct(int32_t index, PyObject *object, kernix_value *value) {
    std::vector<kernix_value> &leaves = leaves_.emplace_back(static_cast<size_t>(PyList_Size(object)));
    for (size_t k = 0; k < leaves.size(); ++k)
      if (!take_scalar(index, PyList_GetItem(object, static_cast<Py_ssize_t>(k)), &leaves[k]))
        return false;
    value->kind = KERNIX_VALUE_FIELDS;
    value->as.fields = leaves.data();
    return true;
  }

  bool take_tensor(PyObject *object, kernix_value *value) {
    int code, bits;
    PyObject *sizes;
    if (!PyArg_ParseTuple(object, "iiO!", &code, &bits, &PyTuple_Type, &sizes))
      return false;
    Tensor &tensor = tensors_.emplace_back();
    for (Py_ssize_t d = 0; d < PyTuple_Size(sizes); ++d)
      tensor.shape.push_back(PyLong_AsLongLong(PyTuple_GetItem(sizes, d)));
    if (PyErr_Occurred())
      return false;
    tensor.dltensor.dtype = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
    tensor.dltensor.ndim = static_cast<int32_t>(tensor.shape.size());
    tensor.dltensor.shape = tensor.shape.data();
    value->kind = KERNIX_VALUE_TENSOR;
    value->as.tensor = &tensor.dltensor;
    return true;
  }

  struct Tensor {
    std::vector<int64_t> shape;
    kernix_dltensor dltensor = {};
  };

  const kernix_function &function_;
  std::deque<Tensor> tensors_;
  std::deque<std::vector<kernix_value>> leaves_;

public:
  std::vector<kernix_value> values;
};

/// (code, bits, shape) of an output.
PyObject *trace_output(const kernix_function &function, const std::vector<kernix_value> &values, int32_t index) {
  int64_t shape[KERNIX_MAX_RANK];
  int32_t ndim;
  if (const int status = kernix_output_shape(&function, values.data(), function.num_parameters, index, shape, &ndim))
    return raise_status(status);
  Ref sizes(PyTuple_New(ndim));
  for (int32_t d = 0; sizes && d < ndim; ++d)
    PyTuple_SetItem(sizes.get(), d, PyLong_FromLongLong(shape[d]));
  const kernix_dtype dtype = function.parameters[index].dtype;
  return sizes ? Py_BuildValue("(iiO)", dtype.code, dtype.bits, sizes.get()) : nullptr;
}

const kernix_operation *find(PyObject *library, const char *name) {
  const kernix_operation *operation =
      is_library(library) ? find_operation(reinterpret_cast<const Library *>(library), name) : nullptr;
  if (!operation)
    raise_error("no operation '%s'", name);
  return operation;
}

} // namespace

PyObject *trace_call(PyObject *, PyObject *args) {
  PyObject *library, *given, *outputs;
  const char *name;
  int variant;
  if (!PyArg_ParseTuple(args, "OsiO!O!:trace_call", &library, &name, &variant, &PyTuple_Type, &given, &PyTuple_Type,
                        &outputs))
    return nullptr;
  const kernix_operation *operation = find(library, name);
  if (!operation)
    return nullptr;
  TracedArguments arguments(*operation->functions[0]);
  if (!arguments.take(given))
    return nullptr;
  const kernix_function *function = nullptr;
  const auto count = static_cast<int32_t>(arguments.values.size());
  if (variant >= 0 && variant < operation->num_functions)
    function = operation->functions[variant];
  else if (const int status = kernix_select(operation, arguments.values.data(), count, &function))
    return raise_status(status);
  for (variant = 0; operation->functions[variant] != function;)
    ++variant;
  if (const int status = kernix_output_shape(function, arguments.values.data(), count, -1, nullptr, nullptr))
    return raise_status(status);
  const Py_ssize_t wanted = PyTuple_Size(outputs);
  Ref found(PyTuple_New(wanted));
  for (Py_ssize_t k = 0; found && k < wanted; ++k) {
    const long index = PyLong_AsLong(PyTuple_GetItem(outputs, k));
    PyObject *one = PyErr_Occurred() ? nullptr : trace_output(*function, arguments.values, static_cast<int32_t>(index));
    if (!one || PyTuple_SetItem(found.get(), k, one))
      return nullptr;
  }
  return found ? Py_BuildValue("(iO)", variant, found.get()) : nullptr;
}

PyObject *xla_target(PyObject *, PyObject *args) {
  PyObject *library;
  const char *name, *target;
  int capturable;
  if (!PyArg_ParseTuple(args, "Ossi:xla_target", &library, &name, &target, &capturable))
    return nullptr;
  const kernix_operation *operation = find(library, name);
  if (!operation)
    return nullptr;
  kernix_handler_for_xla handler;
  int32_t is_replaced;
  if (const int status = kernix_target_for_xla(target, operation, capturable, &handler, &is_replaced))
    return raise_status(status);
  return Py_BuildValue("(NO)", PyLong_FromVoidPtr(reinterpret_cast<void *>(handler)), is_replaced ? Py_True : Py_False);
}

PyObject *add_batched(PyObject *, PyObject *args) {
  PyObject *object, *ptx;
  if (!PyArg_ParseTuple(args, "OO!:add_batched", &object, &PyTuple_Type, &ptx))
    return nullptr;
  if (!is_library(object)) {
    raise_type_error("expected a library");
    return nullptr;
  }
  std::vector<const char *> texts;
  for (Py_ssize_t k = 0; k < PyTuple_Size(ptx); ++k)
    if (const char *text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(ptx, k), nullptr))
      texts.push_back(text);
    else
      return nullptr;
  if (const int status = kernix_add_batched(reinterpret_cast<const Library *>(object)->info, texts.data(),
                                            static_cast<int32_t>(texts.size())))
    return raise_status(status);
  Py_RETURN_NONE;
}

} // namespace kernix::python
