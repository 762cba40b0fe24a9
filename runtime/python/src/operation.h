// runtime/python/src/operation.h - the type of the objects that Python calls.

#ifndef KERNIX_PYTHON_OPERATION_H
#define KERNIX_PYTHON_OPERATION_H

#include "python.h"

namespace kernix::python {

/// The type `kernix._binding.Operation`; null with an exception set.
PyObject *make_operation_type();
bool is_operation(PyObject *object);

} // namespace kernix::python

#endif // KERNIX_PYTHON_OPERATION_H
