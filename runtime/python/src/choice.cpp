// runtime/python/src/choice.cpp

#include "choice.h"

namespace kernix::python {

namespace {

PyObject *preference = nullptr; ///< a bound method of the context variable: its value

} // namespace

int wants_choice(PyObject *operation_name) {
  const Ref value(preference ? PyObject_CallNoArgs(preference) : Py_NewRef(Py_None));
  if (!value)
    return -1;
  if (value.get() == Py_False)
    return 0;
  const uint32_t watched = __atomic_load_n(&kernix_watched, __ATOMIC_RELAXED);
  if (value.get() != Py_None || (watched & KERNIX_WATCH_EVERYWHERE))
    return 1;
  if (!(watched & KERNIX_WATCH_POLICY))
    return 0;
  Py_ssize_t length;
  const char *name = PyUnicode_AsUTF8AndSize(operation_name, &length);
  return name ? kernix_registry_has_policy(name, static_cast<size_t>(length)) : -1;
}

PyObject *watch_choices(PyObject *, PyObject *variable) {
  PyObject *get = PyObject_GetAttrString(variable, "get");
  if (!get)
    return nullptr;
  Py_XDECREF(std::exchange(preference, get));
  Py_RETURN_NONE;
}

PyObject *watch_calls(PyObject *, PyObject *args) {
  unsigned bits;
  int is_on;
  if (!PyArg_ParseTuple(args, "Ip:watch_calls", &bits, &is_on))
    return nullptr;
  kernix_watch_calls(bits, is_on);
  Py_RETURN_NONE;
}

} // namespace kernix::python
