// runtime/python/src/xla.h - what kernix.jax asks: results of a call that is only traced, and handlers for XLA.

#ifndef KERNIX_PYTHON_XLA_H
#define KERNIX_PYTHON_XLA_H

#include "python.h"

namespace kernix::python {

/// trace_call(library, name, variant, values, outputs) -> (variant, ((code, bits, shape), ...))
///
/// `values` has an entry per parameter: None (not given), (code, bits, shape) for a tensor, a list of leaves for a
/// struct, else a number or a string. `outputs`: indices of the parameters whose dtype and shape are wanted. `variant`:
/// -1 where the arguments choose it. Checks what a call checks of them, with the same words.
PyObject *trace_call(PyObject *module, PyObject *args);

/// xla_target(library, name, target, capturable) -> (address of the handler, whether it stood for another operation)
PyObject *xla_target(PyObject *module, PyObject *args);

/// add_batched(library, ptx): kernels of the library that take a batch in one launch.
PyObject *add_batched(PyObject *module, PyObject *args);

} // namespace kernix::python

#endif // KERNIX_PYTHON_XLA_H
