// runtime/python/src/errors.h - raising kernix's exceptions.

#ifndef KERNIX_PYTHON_ERRORS_H
#define KERNIX_PYTHON_ERRORS_H

#include "python.h"

namespace kernix::python {

/// Raises the exception of a kernix_status with the runtime's message, unless one is set already. Returns null.
PyObject *raise_status(int status);

/// Raise with a PyUnicode_FromFormat message. Return null.
PyObject *raise_error(const char *format, ...);
PyObject *raise_type_error(const char *format, ...);
PyObject *raise_value_error(const char *format, ...);

/// The text of the exception that is set, which is cleared.
Ref take_error_text();

} // namespace kernix::python

#endif // KERNIX_PYTHON_ERRORS_H
