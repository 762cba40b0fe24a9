// runtime/python/src/convert.cpp

#include "convert.h"
#include "errors.h"
#include "state.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace kernix::python {

namespace {

bool convert_integer(PyObject *object, kernix_value *value) {
  int overflow = 0;
  const long long integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (integer == -1 && !overflow && PyErr_Occurred())
    return false;
  if (!overflow) {
    value->kind = KERNIX_VALUE_INT;
    value->as.integer = integer;
    return true;
  }
  if (overflow > 0) {
    const unsigned long long positive = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) {
      value->kind = KERNIX_VALUE_UINT;
      value->as.unsigned_integer = positive;
      return true;
    }
    PyErr_Clear();
  }
  value->kind = KERNIX_VALUE_BIG_INT;
  value->as.real[0] = PyLong_AsDouble(object);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    value->as.real[0] = 0;
  }
  return true;
}

bool convert_float(PyObject *object, kernix_value *value) {
  value->kind = KERNIX_VALUE_FLOAT;
  value->as.real[0] = PyFloat_AsDouble(object);
  value->as.real[1] = 0;
  return value->as.real[0] != -1.0 || !PyErr_Occurred();
}

bool convert_complex(PyObject *object, kernix_value *value) {
  value->kind = KERNIX_VALUE_COMPLEX;
  Ref number = PyComplex_Check(object)
                   ? Ref::borrowed(object)
                   : Ref(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject *>(&PyComplex_Type), object, nullptr));
  if (!number)
    return false;
  value->as.real[0] = PyComplex_RealAsDouble(number.get());
  value->as.real[1] = PyComplex_ImagAsDouble(number.get());
  return true;
}

bool convert_string(const Place &place, PyObject *object, kernix_value *value) {
  Py_ssize_t size;
  const char *data = PyUnicode_AsUTF8AndSize(object, &size);
  if (!data) {
    PyErr_Clear();
    raise_value_error("%s: argument '%s': expected a str that can be encoded as UTF-8, got one with lone surrogates",
                      place.signature, place.name);
    return false;
  }
  value->kind = KERNIX_VALUE_STRING;
  value->as.string.data = data;
  value->as.string.size = static_cast<size_t>(size);
  return true;
}

bool convert_bool(PyObject *object, kernix_value *value) {
  const int truth = PyObject_IsTrue(object);
  value->kind = KERNIX_VALUE_BOOL;
  value->as.integer = truth;
  return truth >= 0;
}

bool refuse_zero_dimensional(const Place &place) {
  raise_type_error("%s: argument '%s': expected a number, got a zero-dimensional CUDA array; reading it would wait for "
                   "the GPU: pass array.item(), or make the parameter a pointer (const float *)",
                   place.signature, place.name);
  return false;
}

bool convert_by_type(const Place &place, PyObject *object, bool scalar_wanted, kernix_value *value, Array *array) {
  const TypeInfo *found = type_info(Py_TYPE(object));
  if (!found)
    return false;
  const TypeInfo type = *found; // The entry may be replaced while Python code runs below.
  switch (type.kind) {
  case Kind::Other:
    value->kind = KERNIX_VALUE_OTHER;
    value->as.type_name = type_name(object);
    return true;
  case Kind::Integer: {
    const Ref integer(PyNumber_Index(object));
    return integer && convert_integer(integer.get(), value);
  }
  case Kind::Float:
    return convert_float(object, value);
  case Kind::Complex:
    return convert_complex(object, value);
  case Kind::Bool:
    return convert_bool(object, value);
  case Kind::String:
    return convert_string(place, object, value);
  case Kind::Refused:
    raise_type_error("%s: argument '%s': %U", place.signature, place.name, type.payload);
    return false;
  case Kind::Dispatched:
    if (!place.is_plain) {
      array->is_torch = true;
      value->kind = KERNIX_VALUE_OTHER;
      value->as.type_name = type_name(object);
      return true;
    }
    if (!type.exchange) {
      raise_type_error("%s: argument '%s': %U", place.signature, place.name, type.payload);
      return false;
    }
    break;
  case Kind::Jax:
    array->is_jax = true;
    value->kind = KERNIX_VALUE_OTHER;
    value->as.type_name = type_name(object);
    return true;
  case Kind::Numpy:
  case Kind::Exchange:
  case Kind::Torch:
  case Kind::Dlpack:
    break;
  }
  if (!convert_array(place, object, type, false, array))
    return false;
  if (array->is_torch) {
    array->kind = Kind::Other;
    value->kind = KERNIX_VALUE_OTHER;
    value->as.type_name = "torch.Tensor";
    return true;
  }
  if (scalar_wanted && array->tensor.ndim == 0) {
    if (array->tensor.device_type != KERNIX_CPU)
      return refuse_zero_dimensional(place);
    if (read_number(array->tensor, value)) {
      array->release();
      array->is_number = true;
      return true;
    }
  }
  value->kind = KERNIX_VALUE_TENSOR;
  value->flags = array->is_read_only ? KERNIX_VALUE_READ_ONLY : 0;
  value->as.tensor = &array->tensor;
  return true;
}

} // namespace

bool convert(const Place &place, PyObject *object, bool scalar_wanted, kernix_value *value, Array *array) {
  value->flags = 0;
  if (object == Py_None) {
    value->kind = KERNIX_VALUE_NONE;
    return true;
  }
  if (object == Py_True || object == Py_False) {
    value->kind = KERNIX_VALUE_BOOL;
    value->as.integer = object == Py_True;
    return true;
  }
  if (PyFloat_CheckExact(object))
    return convert_float(object, value);
  if (PyLong_CheckExact(object))
    return convert_integer(object, value);
  if (PyUnicode_CheckExact(object))
    return convert_string(place, object, value);
  return convert_by_type(place, object, scalar_wanted, value, array);
}

bool convert_fresh(const Place &place, PyObject *object, Array *array) {
  const TypeInfo *found = type_info(Py_TYPE(object));
  if (!found)
    return false;
  const TypeInfo type = *found;
  if (type.kind == Kind::Numpy || type.kind == Kind::Exchange || type.kind == Kind::Torch || type.kind == Kind::Dlpack)
    return convert_array(place, object, type, true, array);
  raise_type_error("%s: argument '%s': the framework allocated a %s, which has no data", place.signature, place.name,
                   type_name(object));
  return false;
}

bool read_number(const kernix_dltensor &tensor, kernix_value *value) {
  const char *data = static_cast<const char *>(tensor.data) + tensor.byte_offset;
  const auto load = [data](auto kind_of_value) {
    std::memcpy(&kind_of_value, data, sizeof(kind_of_value));
    return kind_of_value;
  };
  const int key = tensor.dtype.code * 256 + tensor.dtype.bits;
  value->kind = KERNIX_VALUE_INT;
  switch (key) {
  case KERNIX_BOOL * 256 + 8:
    value->kind = KERNIX_VALUE_BOOL;
    value->as.integer = load(uint8_t{}) != 0;
    return true;
  case KERNIX_INT * 256 + 8:
    value->as.integer = load(int8_t{});
    return true;
  case KERNIX_INT * 256 + 16:
    value->as.integer = load(int16_t{});
    return true;
  case KERNIX_INT * 256 + 32:
    value->as.integer = load(int32_t{});
    return true;
  case KERNIX_INT * 256 + 64:
    value->as.integer = load(int64_t{});
    return true;
  case KERNIX_UINT * 256 + 8:
    value->as.integer = load(uint8_t{});
    return true;
  case KERNIX_UINT * 256 + 16:
    value->as.integer = load(uint16_t{});
    return true;
  case KERNIX_UINT * 256 + 32:
    value->as.integer = load(uint32_t{});
    return true;
  case KERNIX_UINT * 256 + 64:
    value->as.unsigned_integer = load(uint64_t{});
    value->kind = value->as.unsigned_integer >> 63 ? KERNIX_VALUE_UINT : KERNIX_VALUE_INT;
    return true;
  default:
    break;
  }
  value->as.real[1] = 0;
  value->kind = KERNIX_VALUE_FLOAT;
  switch (key) {
  case KERNIX_FLOAT * 256 + 16:
    value->as.real[0] = half_to_double(load(uint16_t{}));
    return true;
  case KERNIX_BFLOAT * 256 + 16:
    value->as.real[0] = bfloat_to_double(load(uint16_t{}));
    return true;
  case KERNIX_FLOAT * 256 + 32:
    value->as.real[0] = static_cast<double>(load(float{}));
    return true;
  case KERNIX_FLOAT * 256 + 64:
    value->as.real[0] = load(double{});
    return true;
  case KERNIX_COMPLEX * 256 + 64: {
    struct Pair {
      float real, imaginary;
    };
    const Pair pair = load(Pair{});
    value->kind = KERNIX_VALUE_COMPLEX;
    value->as.real[0] = static_cast<double>(pair.real);
    value->as.real[1] = static_cast<double>(pair.imaginary);
    return true;
  }
  case KERNIX_COMPLEX * 256 + 128: {
    struct Pair {
      double real, imaginary;
    };
    const Pair pair = load(Pair{});
    value->kind = KERNIX_VALUE_COMPLEX;
    value->as.real[0] = pair.real;
    value->as.real[1] = pair.imaginary;
    return true;
  }
  default:
    return false;
  }
}

double half_to_double(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double magnitude;
  if (exponent == 0)
    magnitude = std::ldexp(fraction, -24);
  else if (exponent < 31)
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  else
    magnitude = fraction ? std::nan("") : HUGE_VAL;
  return bits >> 15 ? -magnitude : magnitude;
}

double bfloat_to_double(uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
}

} // namespace kernix::python
