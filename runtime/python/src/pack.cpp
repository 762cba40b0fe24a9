// runtime/python/src/pack.cpp

#include "pack.h"
#include "convert.h"
#include "errors.h"
#include "state.h"

namespace kernix::python {

namespace {

PyObject *pack_number(kernix_dtype dtype, const void *data) {
  kernix_dltensor tensor{};
  tensor.data = const_cast<void *>(data);
  tensor.dtype = dtype;
  kernix_value value{};
  if (!read_number(tensor, &value))
    return raise_error("a result has a dtype (code %d, %d bits) that Python has no number for", dtype.code, dtype.bits);
  switch (value.kind) {
  case KERNIX_VALUE_BOOL:
    return PyBool_FromLong(static_cast<long>(value.as.integer));
  case KERNIX_VALUE_INT:
    return PyLong_FromLongLong(value.as.integer);
  case KERNIX_VALUE_UINT:
    return PyLong_FromUnsignedLongLong(value.as.unsigned_integer);
  case KERNIX_VALUE_COMPLEX:
    return PyComplex_FromDoubles(value.as.real[0], value.as.real[1]);
  default:
    return PyFloat_FromDouble(value.as.real[0]);
  }
}

size_t bytes_of(kernix_dtype dtype) { return dtype.bits / 8; }

/// `count` numbers in a row as a tuple.
PyObject *pack_row(kernix_dtype dtype, const char *data, int64_t count) {
  Ref row(PyTuple_New(count));
  for (int64_t i = 0; row && i < count; ++i) {
    PyObject *number = pack_number(dtype, data + static_cast<size_t>(i) * bytes_of(dtype));
    if (!number || PyTuple_SetItem(row.get(), i, number))
      return nullptr;
  }
  return row.release();
}

PyObject *pack_struct(PyObject *details, int32_t variant, int32_t index, const kernix_parameter &parameter,
                      const char *data) {
  const Ref leaves(PyTuple_New(parameter.num_fields));
  if (!leaves)
    return nullptr;
  for (int32_t i = 0; i < parameter.num_fields; ++i) {
    const kernix_field &field = parameter.fields[i];
    PyObject *leaf = field.count > 1 ? pack_row(field.dtype, data + field.offset, field.count)
                                     : pack_number(field.dtype, data + field.offset);
    if (!leaf || PyTuple_SetItem(leaves.get(), i, leaf))
      return nullptr;
  }
  const Ref v(PyLong_FromLong(variant)), number(PyLong_FromLong(index));
  if (!v || !number)
    return nullptr;
  return PyObject_CallMethodObjArgs(details, state().struct_value, v.get(), number.get(), leaves.get(), nullptr);
}

PyObject *pack_element(PyObject *details, int32_t variant, int32_t index, const kernix_parameter &parameter,
                       const char *data) {
  if (parameter.num_fields)
    return pack_struct(details, variant, index, parameter, data);
  if (!parameter.element_ndim)
    return pack_number(parameter.dtype, data);
  int64_t count = 1;
  for (int32_t d = 0; d < parameter.element_ndim; ++d)
    count *= parameter.element_shape[d];
  return pack_row(parameter.dtype, data, count);
}

PyObject *pack_text(const char *data, size_t size) {
  return PyUnicode_DecodeUTF8(data, static_cast<Py_ssize_t>(size), "surrogateescape");
}

} // namespace

PyObject *pack_value(PyObject *details, int32_t variant, int32_t index, const kernix_parameter &parameter,
                     const void *data) {
  if (parameter.passing == KERNIX_PASS_C_STRING) {
    const char *text = *static_cast<const char *const *>(data);
    return text ? pack_text(text, __builtin_strlen(text)) : Py_NewRef(Py_None);
  }
  if (parameter.passing == KERNIX_PASS_STRING_VIEW) {
    struct View { // std::string_view of libstdc++
      size_t size;
      const char *data;
    };
    const View view = *static_cast<const View *>(data);
    return pack_text(view.data, view.size);
  }
  const auto *bytes = static_cast<const char *>(data);
  if (parameter.array_length <= 0)
    return pack_element(details, variant, index, parameter, bytes);
  Ref row(PyTuple_New(parameter.array_length));
  const int32_t step = parameter.size / parameter.array_length;
  for (int32_t i = 0; row && i < parameter.array_length; ++i) {
    PyObject *element = pack_element(details, variant, index, parameter, bytes + i * step);
    if (!element || PyTuple_SetItem(row.get(), i, element))
      return nullptr;
  }
  return row.release();
}

} // namespace kernix::python
