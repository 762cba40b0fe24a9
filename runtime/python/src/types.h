// runtime/python/src/types.h - what kind of argument a Python type is, decided once per type.
//
// kernix._support.classify decides; the answers are kept in a small table, so that a call only compares pointers.

#ifndef KERNIX_PYTHON_TYPES_H
#define KERNIX_PYTHON_TYPES_H

#include "dlpack.h"
#include "python.h"

namespace kernix::python {

/// The numbers are those of kernix._support.Kind.
enum class Kind : int {
  Other = 0,
  Integer,   ///< has __index__
  Float,     ///< has __float__
  Complex,   ///< has __complex__
  Bool,      ///< NumPy's bool
  String,    ///< str or a subclass
  Numpy,     ///< numpy.ndarray
  Exchange,  ///< a tensor type with DLPack's C exchange API
  Torch,     ///< likewise, torch.Tensor: has more states to refuse
  Dlpack,    ///< has __dlpack__
  Refused,   ///< payload says why
  Jax,       ///< an array or tracer of JAX, or what describes one: the whole call is JAX's
  Dispatched ///< a torch.Tensor of another type: torch's dispatcher knows what the call means
};

struct TypeInfo {
  PyTypeObject *type; ///< strong
  Kind kind;
  PyObject *payload; ///< strong; the exchange capsule or the reason
  const DlpackExchange *exchange;
};

/// Null with an exception set if classify failed.
const TypeInfo *type_info(PyTypeObject *type);

/// "numpy.ndarray"; the name lives as long as the process.
const char *type_name(PyObject *object);

} // namespace kernix::python

#endif // KERNIX_PYTHON_TYPES_H
