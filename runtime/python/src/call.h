// runtime/python/src/call.h - one call of an operation.
//
// Binds and converts the arguments, chooses the target by the device of the arrays and the variant by their dtypes,
// runs it without the GIL and packs the results. Nothing is allocated on the way unless an output, a struct or more
// than a handful of parameters ask for it.

#ifndef KERNIX_PYTHON_CALL_H
#define KERNIX_PYTHON_CALL_H

#include "plan.h"
#include "python.h"

namespace kernix::python {

/// The object that Python calls.
struct Operation {
  PyObject_HEAD Vectorcall vectorcall;
  PyObject *name;
  PyObject *details;                     ///< kernix.function.FunctionDetails: everything that is not a call
  Plan *plan;                            ///< null until a library is attached
  const kernix_operation *operations[2]; ///< by kernix_target; null: not built yet
  int default_target;
  PyObject *weak_references; ///< CPython's
};

PyObject *call_operation(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names);

/// The same for kernels of torch's dispatcher: torch has seen the call, and only computes now.
PyObject *call_plainly(PyObject *self, PyObject *const *args, Py_ssize_t num_args, PyObject *names);

} // namespace kernix::python

#endif // KERNIX_PYTHON_CALL_H
