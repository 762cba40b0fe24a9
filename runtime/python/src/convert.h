// runtime/python/src/convert.h - one Python object to a kernix_value.
//
// Converts by what the object is; whether that fits the parameter is checked by the runtime, which also makes the
// messages about it. Refused here are objects whose data would be misread: see arrays.cpp.

#ifndef KERNIX_PYTHON_CONVERT_H
#define KERNIX_PYTHON_CONVERT_H

#include "kernix/abi.h"
#include "python.h"
#include "types.h"

namespace kernix::python {

/// Where an argument stands, for messages.
struct Place {
  const char *signature;
  const char *name;
  bool is_plain = false; ///< torch has seen the call already: only data is asked for
};

/// An array argument and what must live until the call is done.
struct Array {
  kernix_dltensor tensor;
  int64_t strides[KERNIX_MAX_RANK];
  Kind kind = Kind::Other; ///< Other: not an array
  bool is_number = false;  ///< what lay in `tensor`, which has no axes, was taken for a number
  bool is_read_only = false;
  bool wants_graph = false; ///< a torch tensor that requires a gradient, while a graph is recorded, or has a tangent
  bool is_jax = false;      ///< JAX's, which is not converted
  bool is_torch = false;    ///< torch's, not converted, since torch must see the call
  bool has_stream = false;
  void *stream = nullptr;
  const DlpackExchange *exchange = nullptr;
  DlpackManagedVersioned *managed = nullptr; ///< owned
  PyObject *owner = nullptr;                 ///< owned

  void release();
};

/// Fills *value, and *array if the object is one. `scalar_wanted`: zero-dimensional arrays on the CPU become numbers.
/// False with an exception set.
bool convert(const Place &place, PyObject *object, bool scalar_wanted, kernix_value *value, Array *array);

/// The array part of convert, for an object of this kind. `is_fresh`: made by the call itself, in no state to refuse.
bool convert_array(const Place &place, PyObject *object, const TypeInfo &type, bool is_fresh, Array *array);

/// An array that the call has allocated.
bool convert_fresh(const Place &place, PyObject *object, Array *array);

/// The number that a zero-dimensional array on the CPU holds; false if its dtype is not one of a number.
bool read_number(const kernix_dltensor &tensor, kernix_value *value);

/// Bits of a 16-bit floating-point number as a double.
double half_to_double(uint16_t bits);
double bfloat_to_double(uint16_t bits);

} // namespace kernix::python

#endif // KERNIX_PYTHON_CONVERT_H
