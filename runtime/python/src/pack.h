// runtime/python/src/pack.h - results of a call as Python objects.

#ifndef KERNIX_PYTHON_PACK_H
#define KERNIX_PYTHON_PACK_H

#include "kernix/abi.h"
#include "python.h"

namespace kernix::python {

/// A scalar, struct, string or array result. `index` is the parameter, -1 for the function's own result; structs are
/// made by details.struct_value(variant, index, leaves). Null with an exception set.
PyObject *pack_value(PyObject *details, int32_t variant, int32_t index, const kernix_parameter &parameter,
                     const void *data);

} // namespace kernix::python

#endif // KERNIX_PYTHON_PACK_H
