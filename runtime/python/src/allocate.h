// runtime/python/src/allocate.h - outputs that a call makes itself.

#ifndef KERNIX_PYTHON_ALLOCATE_H
#define KERNIX_PYTHON_ALLOCATE_H

#include "kernix/abi.h"
#include "python.h"
#include "types.h"

namespace kernix::python {

struct OutputRequest {
  Kind kind;      ///< of the array whose framework makes the output; Other: there is none
  PyObject *like; ///< that array, or None
  bool same;      ///< it is on the device, has the dtype and shape wanted, and is contiguous
  kernix_dtype dtype;
  int32_t ndim;
  const int64_t *shape;
  int32_t device_type;
  int32_t device_id;
  bool zeroed;
};

/// A new array, on CUDA of torch that of the current device. Null with an exception set.
PyObject *allocate(const OutputRequest &request);
/// The same on the device that is asked for, whichever is current.
PyObject *allocate_on_device(const OutputRequest &request);

} // namespace kernix::python

#endif // KERNIX_PYTHON_ALLOCATE_H
