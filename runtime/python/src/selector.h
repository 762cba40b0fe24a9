// runtime/python/src/selector.h - kernix/selector_abi.h for Python, as kernix._binding.Selector.
//
// Thin: names and numbers go through as they are; kernix.selector has the classes that users see.

#ifndef KERNIX_PYTHON_SELECTOR_H
#define KERNIX_PYTHON_SELECTOR_H

#include "python.h"

namespace kernix::python {

/// The type `kernix._binding.Selector`; null with an exception set.
PyObject *make_selector_type();

/// registry_selector(device) -> Selector
PyObject *registry_selector(PyObject *module, PyObject *args);
/// registry_selectors() -> [Selector, ...]
PyObject *registry_selectors(PyObject *module, PyObject *args);
/// registry_clear()
PyObject *registry_clear(PyObject *module, PyObject *args);
/// kernel_dtype_of(dtypes) -> number of the kernel dtype; dtypes are (code, bits)
PyObject *kernel_dtype_of(PyObject *module, PyObject *args);
/// check_capability(dtype, is_available, supports_tensor_cores, performance_factor, memory_efficiency)
PyObject *check_capability(PyObject *module, PyObject *args);

} // namespace kernix::python

#endif // KERNIX_PYTHON_SELECTOR_H
