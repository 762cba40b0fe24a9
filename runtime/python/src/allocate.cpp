// runtime/python/src/allocate.cpp
//
// The common cases, NumPy arrays and torch tensors, call the framework's function at once; the rest is
// kernix._support.allocate.

#include "allocate.h"
#include "state.h"

namespace kernix::python {

namespace {

/// Function and dtype for one kind of output, as kernix._support.allocator answers.
struct Allocator {
  int key = -1;
  PyObject *function = nullptr;
  PyObject *dtype = nullptr;
};
constexpr size_t table_size = 64;
Allocator table[table_size];

bool is_short(const OutputRequest &request) {
  return request.kind == Kind::Torch || (request.kind == Kind::Numpy && request.device_type == KERNIX_CPU);
}

const Allocator *find_allocator(const OutputRequest &request) {
  const bool is_cuda = request.device_type == KERNIX_CUDA;
  const int key = ((static_cast<int>(request.kind) * 256 + request.dtype.code) * 256 + request.dtype.bits) * 4 +
                  2 * static_cast<int>(is_cuda) + static_cast<int>(request.zeroed);
  Allocator &entry = table[static_cast<size_t>(key) * 2654435761u % table_size];
  if (entry.key == key)
    return &entry;
  const Ref answer(PyObject_CallFunction(state().allocator, "iiiii", static_cast<int>(request.kind), request.dtype.code,
                                         request.dtype.bits, request.device_type, static_cast<int>(request.zeroed)));
  PyObject *function, *dtype;
  if (!answer || !PyArg_ParseTuple(answer.get(), "OO", &function, &dtype))
    return nullptr;
  Ref old_function(std::exchange(entry.function, Py_NewRef(function)));
  Ref old_dtype(std::exchange(entry.dtype, Py_NewRef(dtype)));
  entry.key = key;
  return &entry;
}

/// Whether torch makes what it is asked for without a device on this one. It must not be asked for memory of a device
/// that has nothing to do in this process: that would make a context there.
bool is_torchs_device(int32_t device) {
  // If another one is current, somebody has selected it; what it makes is then thrown away.
  if (device == 0)
    return true;
  static PyObject *current = nullptr;
  if (!current) {
    const Ref module(PyImport_ImportModule("torch._C"));
    current = module ? PyObject_GetAttrString(module.get(), "_cuda_getDevice") : nullptr;
  }
  const Ref answer(current ? PyObject_CallFunctionObjArgs(current, nullptr) : nullptr);
  const long number = answer ? PyLong_AsLong(answer.get()) : -1;
  PyErr_Clear();
  return number == device;
}

Ref shape_tuple(const OutputRequest &request) {
  Ref sizes(PyTuple_New(request.ndim));
  for (int32_t d = 0; sizes && d < request.ndim; ++d)
    if (PyTuple_SetItem(sizes.get(), d, PyLong_FromLongLong(request.shape[d])))
      return Ref();
  return sizes;
}

Ref stride_tuple(const OutputRequest &request) {
  Ref strides(PyTuple_New(request.ndim));
  int64_t stride = 1;
  for (int32_t d = request.ndim - 1; strides && d >= 0; --d) {
    if (PyTuple_SetItem(strides.get(), d, PyLong_FromLongLong(stride)))
      return Ref();
    stride *= request.shape[d];
  }
  return strides;
}

} // namespace

PyObject *allocate(const OutputRequest &request) {
  if (request.kind == Kind::Torch && request.device_type == KERNIX_CUDA && !is_torchs_device(request.device_id))
    return allocate_on_device(request);
  const Allocator *allocator = nullptr;
  if (is_short(request) && !(allocator = find_allocator(request)))
    return nullptr;
  // Without a dtype: f(like).
  if (!allocator || (allocator->dtype == Py_None && !request.same))
    return allocate_on_device(request);
  if (allocator->dtype == Py_None)
    return PyObject_CallFunctionObjArgs(allocator->function, request.like, nullptr);
  const Ref sizes = shape_tuple(request);
  if (!sizes)
    return nullptr;
  if (request.kind == Kind::Numpy)
    return PyObject_CallFunctionObjArgs(allocator->function, sizes.get(), allocator->dtype, nullptr);
  const Ref strides = stride_tuple(request);
  return strides
             ? PyObject_CallFunctionObjArgs(allocator->function, sizes.get(), strides.get(), allocator->dtype, nullptr)
             : nullptr;
}

PyObject *allocate_on_device(const OutputRequest &request) {
  const Ref sizes = shape_tuple(request);
  if (!sizes)
    return nullptr;
  return PyObject_CallFunction(state().allocate, "iOOiiiii", static_cast<int>(request.kind), request.like, sizes.get(),
                               request.dtype.code, request.dtype.bits, request.device_type, request.device_id,
                               static_cast<int>(request.zeroed));
}

} // namespace kernix::python
