// runtime/python/src/errors.cpp

#include "errors.h"
#include "kernix/abi.h"
#include "state.h"

#include <cstdarg>

namespace kernix::python {

namespace {

PyObject *raise(PyObject *type, const char *format, va_list values) {
  const Ref message(PyUnicode_FromFormatV(format, values));
  if (message)
    PyErr_SetObject(type ? type : PyExc_RuntimeError, message.get());
  return nullptr;
}

PyObject *type_of_status(int status) {
  switch (status) {
  case KERNIX_ERROR_TYPE:
    return state().kernel_type_error;
  case KERNIX_ERROR_VALUE:
    return state().kernel_value_error;
  default:
    return state().kernel_error;
  }
}

} // namespace

PyObject *raise_status(int status) {
  if (PyErr_Occurred())
    return nullptr;
  const char *text = kernix_last_error();
  const Ref message(PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(__builtin_strlen(text)), "replace"));
  if (message)
    PyErr_SetObject(type_of_status(status), message.get());
  return nullptr;
}

PyObject *raise_error(const char *format, ...) {
  va_list values;
  va_start(values, format);
  raise(state().kernel_error, format, values);
  va_end(values);
  return nullptr;
}

PyObject *raise_type_error(const char *format, ...) {
  va_list values;
  va_start(values, format);
  raise(state().kernel_type_error, format, values);
  va_end(values);
  return nullptr;
}

PyObject *raise_value_error(const char *format, ...) {
  va_list values;
  va_start(values, format);
  raise(state().kernel_value_error, format, values);
  va_end(values);
  return nullptr;
}

Ref take_error_text() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  const Ref owned_type(type), owned_value(value), owned_trace(trace);
  Ref text(value ? PyObject_Str(value) : PyUnicode_FromString(""));
  if (!text) {
    PyErr_Clear();
    text = Ref(PyUnicode_FromString(""));
  }
  return text;
}

} // namespace kernix::python
