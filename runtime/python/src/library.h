// runtime/python/src/library.h - an opened module: a shared object with its operations.

#ifndef KERNIX_PYTHON_LIBRARY_H
#define KERNIX_PYTHON_LIBRARY_H

#include "kernix/abi.h"
#include "python.h"

namespace kernix::python {

/// Opened objects are never closed: arrays of records, kernels in flight and the runtime refer to them.
struct Library {
  PyObject_HEAD PyObject *path;
  const kernix_module_info *info;
  const kernix_operation *const *operations;
  int32_t num_operations;
};

/// Null if there is no operation of this name.
const kernix_operation *find_operation(const Library *library, const char *name);

/// The type `kernix._binding.Library`; null with an exception set.
PyObject *make_library_type();
bool is_library(PyObject *object);

/// read_values(library, name, variant, device, stream) -> bytes, one for each parameter
PyObject *read_values(PyObject *module, PyObject *args);

/// resources(library, name, variant, block_size, shared_bytes) -> dict
PyObject *kernel_resources(PyObject *module, PyObject *args);

} // namespace kernix::python

#endif // KERNIX_PYTHON_LIBRARY_H
