// runtime/python/src/selector.cpp

#include "selector.h"
#include "errors.h"
#include "kernix/selector_abi.h"

#include <vector>

namespace kernix::python {

namespace {

struct Selector {
  PyObject_HEAD kernix_selector *selector; ///< held
};

PyTypeObject *selector_type = nullptr;

kernix_selector *of(PyObject *self) { return reinterpret_cast<Selector *>(self)->selector; }

/// Takes over one hold.
PyObject *wrap(kernix_selector *selector) {
  PyObject *self = PyType_GenericNew(selector_type, nullptr, nullptr);
  if (self)
    reinterpret_cast<Selector *>(self)->selector = selector;
  else
    kernix_selector_release(selector);
  return self;
}

PyObject *none_or_raise(int status) {
  if (status)
    return raise_status(status);
  Py_RETURN_NONE;
}

bool take_device(const char *text, kernix_device *device) {
  const int status = kernix_device_parse(text, device);
  if (status)
    raise_status(status);
  return !status;
}

/// For PyArg_ParseTuple's O&: a tuple of (code, bits).
int take_dtypes(PyObject *object, void *to) {
  auto &dtypes = *static_cast<std::vector<kernix_dtype> *>(to);
  const Py_ssize_t size = PyTuple_Size(object);
  for (Py_ssize_t i = 0; i < size; ++i) {
    unsigned char code, bits;
    if (!PyArg_ParseTuple(PyTuple_GetItem(object, i), "bb", &code, &bits))
      return 0;
    dtypes.push_back({code, bits, 1});
  }
  return size >= 0;
}

int32_t size_of(const std::vector<kernix_dtype> &dtypes) { return static_cast<int32_t>(dtypes.size()); }

/// The name of an operation.
struct Name {
  const char *text;
  Py_ssize_t length;
  size_t size() const { return static_cast<size_t>(length); }
};

PyObject *capability_tuple(const kernix_capability &found) {
  return Py_BuildValue("iOOff", found.dtype, found.is_available ? Py_True : Py_False,
                       found.supports_tensor_cores ? Py_True : Py_False, static_cast<double>(found.performance_factor),
                       static_cast<double>(found.memory_efficiency));
}

PyObject *performance_tuple(const char *operation, int32_t dtype, const kernix_performance &found) {
  return Py_BuildValue("sifffLL", operation, dtype, static_cast<double>(found.average), static_cast<double>(found.min),
                       static_cast<double>(found.max), static_cast<long long>(found.count),
                       static_cast<long long>(found.timed));
}

PyObject *selector_new(PyTypeObject *, PyObject *args, PyObject *) {
  const char *text;
  kernix_device device;
  if (!PyArg_ParseTuple(args, "s:Selector", &text) || !take_device(text, &device))
    return nullptr;
  kernix_selector *made = nullptr;
  const int status = kernix_selector_create(device, &made);
  return status ? raise_status(status) : wrap(made);
}

void selector_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  kernix_selector_release(of(self));
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject *get_device(PyObject *self, void *) {
  kernix_device device;
  if (const int status = kernix_selector_device(of(self), &device))
    return raise_status(status);
  return device.type == KERNIX_CUDA ? PyUnicode_FromFormat("cuda:%d", static_cast<int>(device.index))
                                    : PyUnicode_FromString("cpu");
}

PyObject *get_address(PyObject *self, void *) { return PyLong_FromVoidPtr(of(self)); }

PyObject *is_available(PyObject *self, PyObject *args) {
  Name name;
  int dtype;
  int32_t found = 0;
  if (!PyArg_ParseTuple(args, "s#i:is_available", &name.text, &name.length, &dtype))
    return nullptr;
  if (const int status = kernix_selector_is_available(of(self), name.text, name.size(), dtype, &found))
    return raise_status(status);
  return PyBool_FromLong(found);
}

PyObject *kernel_dtype(PyObject *self, PyObject *args) {
  Name name;
  std::vector<kernix_dtype> dtypes;
  int32_t found = 0;
  if (!PyArg_ParseTuple(args, "s#O&:kernel_dtype", &name.text, &name.length, take_dtypes, &dtypes))
    return nullptr;
  const int status =
      kernix_selector_kernel_dtype(of(self), name.text, name.size(), dtypes.data(), size_of(dtypes), &found);
  return status ? raise_status(status) : PyLong_FromLong(found);
}

PyObject *select(PyObject *self, PyObject *args) {
  Name name;
  std::vector<kernix_dtype> dtypes;
  int preferred;
  int32_t found = 0, reason = 0;
  if (!PyArg_ParseTuple(args, "s#O&i:select", &name.text, &name.length, take_dtypes, &dtypes, &preferred))
    return nullptr;
  const int status = kernix_selector_select(of(self), name.text, name.size(), dtypes.data(), size_of(dtypes), preferred,
                                            &found, &reason);
  return status ? raise_status(status) : Py_BuildValue("ii", found, reason);
}

PyObject *register_capability(PyObject *self, PyObject *args) {
  Name name;
  kernix_capability capability;
  if (!PyArg_ParseTuple(args, "s#ippff:register_capability", &name.text, &name.length, &capability.dtype,
                        &capability.is_available, &capability.supports_tensor_cores, &capability.performance_factor,
                        &capability.memory_efficiency))
    return nullptr;
  return none_or_raise(kernix_selector_register(of(self), name.text, name.size(), &capability));
}

PyObject *read_capability(PyObject *self, PyObject *args) {
  Name name;
  int dtype;
  kernix_capability found;
  if (!PyArg_ParseTuple(args, "s#i:capability", &name.text, &name.length, &dtype))
    return nullptr;
  const int status = kernix_selector_capability(of(self), name.text, name.size(), dtype, &found);
  if (status == KERNIX_ERROR_KEY)
    Py_RETURN_NONE;
  return status ? raise_status(status) : capability_tuple(found);
}

PyObject *set_policy(PyObject *self, PyObject *args) {
  Name name;
  int policy;
  if (!PyArg_ParseTuple(args, "s#i:set_policy", &name.text, &name.length, &policy))
    return nullptr;
  const int status = kernix_selector_set_policy(of(self), name.text, name.size(), policy);
  // In Python a name that is not known is a wrong value.
  return none_or_raise(status == KERNIX_ERROR_KEY ? static_cast<int>(KERNIX_ERROR_VALUE) : status);
}

PyObject *get_policy(PyObject *self, PyObject *args) {
  Name name;
  int32_t found = 0;
  if (!PyArg_ParseTuple(args, "s#:policy", &name.text, &name.length))
    return nullptr;
  const int status = kernix_selector_policy(of(self), name.text, name.size(), &found);
  return status ? raise_status(status) : PyLong_FromLong(found);
}

PyObject *update_performance(PyObject *self, PyObject *args) {
  Name name;
  int dtype;
  float milliseconds;
  if (!PyArg_ParseTuple(args, "s#if:update_performance", &name.text, &name.length, &dtype, &milliseconds))
    return nullptr;
  return none_or_raise(kernix_selector_update_performance(of(self), name.text, name.size(), dtype, milliseconds));
}

PyObject *read_performance(PyObject *self, PyObject *args) {
  Name name;
  int dtype;
  kernix_performance found;
  if (!PyArg_ParseTuple(args, "s#i:performance", &name.text, &name.length, &dtype))
    return nullptr;
  const int status = kernix_selector_performance(of(self), name.text, name.size(), dtype, &found);
  if (status == KERNIX_ERROR_KEY)
    Py_RETURN_NONE;
  return status ? raise_status(status) : performance_tuple(name.text, dtype, found);
}

PyObject *all_performance(PyObject *self, PyObject *) {
  Ref all(PyList_New(0));
  const auto visit = [](void *list, const char *operation, int32_t dtype, const kernix_performance *found) {
    const Ref row(performance_tuple(operation, dtype, *found));
    if (row)
      PyList_Append(static_cast<PyObject *>(list), row.get());
  };
  if (!all)
    return nullptr;
  const int status = kernix_selector_visit_performance(of(self), visit, all.get());
  if (status || PyErr_Occurred())
    return raise_status(status);
  return all.release();
}

PyObject *register_defaults(PyObject *self, PyObject *args) {
  const char *text;
  int compute_capability;
  kernix_device device;
  if (!PyArg_ParseTuple(args, "si:register_defaults", &text, &compute_capability) || !take_device(text, &device))
    return nullptr;
  return none_or_raise(kernix_registry_register_defaults(device, of(self), compute_capability));
}

PyMethodDef selector_methods[] = {{"is_available", is_available, METH_VARARGS, nullptr},
                                  {"kernel_dtype", kernel_dtype, METH_VARARGS, nullptr},
                                  {"select", select, METH_VARARGS, nullptr},
                                  {"register_capability", register_capability, METH_VARARGS, nullptr},
                                  {"capability", read_capability, METH_VARARGS, nullptr},
                                  {"set_policy", set_policy, METH_VARARGS, nullptr},
                                  {"policy", get_policy, METH_VARARGS, nullptr},
                                  {"update_performance", update_performance, METH_VARARGS, nullptr},
                                  {"performance", read_performance, METH_VARARGS, nullptr},
                                  {"all_performance", all_performance, METH_NOARGS, nullptr},
                                  {"register_defaults", register_defaults, METH_VARARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
PyGetSetDef selector_getset[] = {{"device", get_device, nullptr, "'cpu' or 'cuda:N'", nullptr},
                                 {"address", get_address, nullptr, "the same for the same selector", nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot selector_slots[] = {{Py_tp_new, reinterpret_cast<void *>(selector_new)},
                                {Py_tp_dealloc, reinterpret_cast<void *>(selector_dealloc)},
                                {Py_tp_methods, selector_methods},
                                {Py_tp_getset, selector_getset},
                                {0, nullptr}};
PyType_Spec selector_spec = {"kernix._binding.Selector", sizeof(Selector), 0, Py_TPFLAGS_DEFAULT, selector_slots};

} // namespace

PyObject *make_selector_type() {
  PyObject *type = PyType_FromSpec(&selector_spec);
  selector_type = reinterpret_cast<PyTypeObject *>(type);
  return type;
}

PyObject *registry_selector(PyObject *, PyObject *args) {
  const char *text;
  kernix_device device;
  if (!PyArg_ParseTuple(args, "s:registry_selector", &text) || !take_device(text, &device))
    return nullptr;
  kernix_selector *found = nullptr;
  const int status = kernix_registry_selector(device, &found);
  return status ? raise_status(status) : wrap(found);
}

PyObject *registry_selectors(PyObject *, PyObject *) {
  Ref all(PyList_New(0));
  const auto visit = [](void *list, kernix_selector *selector) {
    kernix_selector_retain(selector);
    const Ref one(wrap(selector));
    if (one)
      PyList_Append(static_cast<PyObject *>(list), one.get());
  };
  if (!all)
    return nullptr;
  const int status = kernix_registry_visit(visit, all.get());
  if (status || PyErr_Occurred())
    return raise_status(status);
  return all.release();
}

PyObject *registry_clear(PyObject *, PyObject *) { return none_or_raise(kernix_registry_clear()); }

PyObject *kernel_dtype_of(PyObject *, PyObject *args) {
  std::vector<kernix_dtype> dtypes;
  int32_t found = 0;
  if (!PyArg_ParseTuple(args, "O&:kernel_dtype_of", take_dtypes, &dtypes))
    return nullptr;
  const int status = kernix_kernel_dtype_of(dtypes.data(), size_of(dtypes), &found);
  return status ? raise_status(status) : PyLong_FromLong(found);
}

PyObject *check_capability(PyObject *, PyObject *args) {
  kernix_capability capability;
  if (!PyArg_ParseTuple(args, "ippff:check_capability", &capability.dtype, &capability.is_available,
                        &capability.supports_tensor_cores, &capability.performance_factor,
                        &capability.memory_efficiency))
    return nullptr;
  return none_or_raise(kernix_capability_check(&capability));
}

} // namespace kernix::python
