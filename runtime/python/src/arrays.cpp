// runtime/python/src/arrays.cpp - arrays of all frameworks to kernix_dltensor, borrowed for the time of a call.
//
// NumPy arrays are read through the array interface (`__array_struct__`), torch and others through DLPack's C exchange
// API, everything else through `__dlpack__`. What these interfaces pass on although the data cannot be read as it
// stands (conjugate views, gradients, byte order, ...) is refused here.

#include "convert.h"
#include "errors.h"
#include "state.h"
#include "torch_state.h"

namespace kernix::python {

namespace {

/// What the capsule of `__array_struct__` points to; layout fixed by NumPy's array interface, version 3.
struct ArrayInterface {
  int two;
  int ndim;
  char kind;
  int item_size;
  int flags;
  Py_intptr_t *shape;
  Py_intptr_t *strides; ///< in bytes
  void *data;
  PyObject *descriptor;
};
constexpr int array_not_swapped = 0x200;
constexpr int array_writeable = 0x400;

bool refuse(const Place &place, const char *expected, const char *got) {
  raise_value_error("%s: argument '%s': expected %s, got %s", place.signature, place.name, expected, got);
  return false;
}

bool refuse_rank(const Place &place, int ndim) {
  raise_value_error("%s: argument '%s': expected at most %d axes, got %d", place.signature, place.name, KERNIX_MAX_RANK,
                    ndim);
  return false;
}

/// Dtypes that the interface has no letter for, bfloat16 above all.
bool unusual_dtype(const Place &place, PyObject *object, kernix_dtype *dtype) {
  const Ref answer(PyObject_CallFunctionObjArgs(state().array_dtype, object, nullptr));
  int code, bits;
  if (!answer)
    return false;
  if (PyUnicode_Check(answer.get())) {
    raise_type_error("%s: argument '%s': %U", place.signature, place.name, answer.get());
    return false;
  }
  if (!PyArg_ParseTuple(answer.get(), "ii", &code, &bits))
    return false;
  *dtype = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
  return true;
}

bool array_dtype(const Place &place, PyObject *object, const ArrayInterface &interface, kernix_dtype *dtype) {
  dtype->bits = static_cast<uint8_t>(interface.item_size * 8);
  dtype->lanes = 1;
  switch (interface.kind) {
  case 'f':
    dtype->code = KERNIX_FLOAT;
    return true;
  case 'i':
    dtype->code = KERNIX_INT;
    return true;
  case 'u':
    dtype->code = KERNIX_UINT;
    return true;
  case 'b':
    dtype->code = KERNIX_BOOL;
    return true;
  case 'c':
    dtype->code = KERNIX_COMPLEX;
    return true;
  default:
    return unusual_dtype(place, object, dtype);
  }
}

/// The export failed: says why in kernix's words if the state of the tensor tells, else in the framework's.
/// What is no Exception, such as KeyboardInterrupt, goes on.
bool explain_failure(const Place &place, PyObject *object) {
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
    return false;
  const Ref foreign = take_error_text();
  if (!foreign)
    return false;
  const Ref text(PyObject_CallFunctionObjArgs(state().explain_tensor, object, foreign.get(), nullptr));
  if (text)
    raise_type_error("%s: argument '%s': %U", place.signature, place.name, text.get());
  return false;
}

bool convert_numpy(const Place &place, PyObject *object, Array *array) {
  Ref capsule(PyObject_GetAttr(object, state().array_struct));
  if (!capsule)
    return explain_failure(place, object);
  const auto *interface = static_cast<const ArrayInterface *>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (!interface)
    return explain_failure(place, object);
  if (interface->ndim > KERNIX_MAX_RANK)
    return refuse_rank(place, interface->ndim);

  kernix_dltensor &tensor = array->tensor;
  tensor.data = interface->data;
  tensor.device_type = KERNIX_CPU;
  tensor.device_id = 0;
  tensor.ndim = interface->ndim;
  tensor.byte_offset = 0;
  static_assert(sizeof(Py_intptr_t) == sizeof(int64_t));
  tensor.shape = reinterpret_cast<int64_t *>(interface->shape);
  tensor.strides = array->strides;
  if (!array_dtype(place, object, *interface, &tensor.dtype))
    return false;
  if (!(interface->flags & array_not_swapped))
    return refuse(place, "an array in the machine's byte order", "one with swapped bytes");
  const Py_intptr_t size = interface->item_size;
  for (int d = 0; d < interface->ndim; ++d) {
    if (interface->strides[d] % size)
      return refuse(place, "strides that are multiples of the element size", "a field of a larger structure");
    array->strides[d] = interface->strides[d] / size;
  }
  array->is_read_only = !(interface->flags & array_writeable);
  array->owner = capsule.release();
  return true;
}

/// 1: it has, 0: it has not, -1: an exception is set.
int has_tangent(PyObject *object) {
  const int is_on = is_forward_ad_on();
  if (is_on <= 0)
    return is_on;
  const Ref answer(PyObject_CallFunctionObjArgs(state().has_tangent, object, nullptr));
  return answer ? answer.get() == Py_True : -1;
}

/// Whether torch records what is computed of the tensor.
bool check_recording(PyObject *object, Array *array) {
  State &s = state();
  const Ref requires_grad(PyObject_GetAttr(object, s.requires_grad));
  if (!requires_grad)
    return false;
  if (requires_grad.get() == Py_True) {
    const int is_recorded = is_torch_recording();
    if (is_recorded < 0)
      return false;
    array->wants_graph = is_recorded;
  }
  const int is_dual = has_tangent(object);
  array->wants_graph |= is_dual == 1;
  return is_dual >= 0;
}

/// States of a torch tensor that its DLPack export passes over.
bool check_torch(const Place &place, PyObject *object, Array *array) {
  State &s = state();
  if (!place.is_plain && !check_recording(object, array))
    return false;
  const Ref is_neg(PyObject_CallMethodObjArgs(object, s.is_neg, nullptr));
  if (!is_neg)
    return false;
  if (is_neg.get() == Py_True)
    return refuse(place, "a tensor whose data is what it shows", "a negative view; pass tensor.resolve_neg()");
  if (array->tensor.dtype.code != KERNIX_COMPLEX)
    return true;
  const Ref is_conj(PyObject_CallMethodObjArgs(object, s.is_conj, nullptr));
  if (!is_conj)
    return false;
  return is_conj.get() == Py_True
             ? refuse(place, "a tensor whose data is what it shows", "a conjugate view; pass tensor.resolve_conj()")
             : true;
}

bool convert_exchange(const Place &place, PyObject *object, const TypeInfo &type, bool is_fresh, Array *array) {
  const bool is_asked = type.kind == Kind::Torch && !is_fresh && !place.is_plain;
  if (is_asked) {
    const int is_watched = is_torch_watching();
    array->is_torch = is_watched == 1;
    if (is_watched)
      return is_watched > 0;
  }
  array->exchange = type.exchange;
  if (type.exchange->tensor_from_object) {
    if (type.exchange->tensor_from_object(object, &array->tensor))
      return explain_failure(place, object);
  } else {
    if (type.exchange->managed_from_object(object, &array->managed))
      return explain_failure(place, object);
    array->tensor = array->managed->tensor;
    array->is_read_only = array->managed->flags & dlpack_read_only;
  }
  return array->kind != Kind::Torch || is_fresh || check_torch(place, object, array);
}

bool convert_capsule(PyObject *capsule, Array *array) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    const auto *managed =
        static_cast<const DlpackManagedVersioned *>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    array->tensor = managed->tensor;
    array->is_read_only = managed->flags & dlpack_read_only;
    return true;
  }
  const auto *managed = static_cast<const DlpackManaged *>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (!managed)
    return false;
  array->tensor = managed->tensor;
  return true;
}

bool convert_dlpack(const Place &place, PyObject *object, Array *array) {
  const Ref answer(PyObject_CallFunctionObjArgs(state().from_dlpack, object, nullptr));
  if (!answer)
    return explain_failure(place, object);
  PyObject *capsule, *stream;
  if (!PyArg_ParseTuple(answer.get(), "OO", &capsule, &stream))
    return false;
  if (!convert_capsule(capsule, array))
    return explain_failure(place, object);
  if (stream != Py_None) {
    array->stream = PyLong_AsVoidPtr(stream);
    if (PyErr_Occurred())
      return false;
    array->has_stream = true;
  }
  // The capsule is not renamed, that is, not consumed: it frees the export when it goes.
  array->owner = Py_NewRef(capsule);
  return true;
}

bool check_device(const Place &place, kernix_dltensor &tensor) {
  switch (tensor.device_type) {
  case KERNIX_CPU:
  case KERNIX_CUDA:
    return true;
  case KERNIX_CUDA_HOST: // Pinned: memory of the host, whichever device it was pinned for.
    tensor.device_type = KERNIX_CPU;
    tensor.device_id = 0;
    return true;
  case KERNIX_CUDA_MANAGED:
    tensor.device_type = KERNIX_CUDA;
    return true;
  default:
    raise_value_error("%s: argument '%s': expected an array on the CPU or a CUDA device, got DLPack device type %d",
                      place.signature, place.name, static_cast<int>(tensor.device_type));
    return false;
  }
}

} // namespace

void Array::release() {
  if (managed && managed->deleter)
    managed->deleter(managed);
  managed = nullptr;
  Py_CLEAR(owner);
  kind = Kind::Other;
}

bool convert_array(const Place &place, PyObject *object, const TypeInfo &type, bool is_fresh, Array *array) {
  array->kind = type.kind == Kind::Dispatched ? Kind::Torch : type.kind;
  if (type.kind == Kind::Numpy)
    return convert_numpy(place, object, array);
  const bool converted = type.kind == Kind::Dlpack ? convert_dlpack(place, object, array)
                                                   : convert_exchange(place, object, type, is_fresh, array);
  if (!converted || array->is_torch)
    return converted;
  if (array->tensor.ndim > KERNIX_MAX_RANK)
    return refuse_rank(place, array->tensor.ndim);
  return check_device(place, array->tensor);
}

} // namespace kernix::python
