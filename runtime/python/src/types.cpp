// runtime/python/src/types.cpp

#include "types.h"
#include "errors.h"
#include "state.h"

#include <cstdint>

namespace kernix::python {

namespace {

constexpr size_t table_size = 128;
TypeInfo table[table_size];

/// The interface of major version 1 in the chain that the capsule begins, or null.
const DlpackExchange *exchange_of(PyObject *capsule) {
  const auto *header = static_cast<const DlpackExchangeHeader *>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  while (header && header->version.major != 1)
    header = header->previous;
  return reinterpret_cast<const DlpackExchange *>(header);
}

} // namespace

const TypeInfo *type_info(PyTypeObject *type) {
  TypeInfo &entry = table[(reinterpret_cast<uintptr_t>(type) >> 4) % table_size];
  if (entry.type == type)
    return &entry;

  const Ref answer(PyObject_CallFunctionObjArgs(state().classify, reinterpret_cast<PyObject *>(type), nullptr));
  if (!answer)
    return nullptr;
  int kind;
  PyObject *payload;
  if (!PyArg_ParseTuple(answer.get(), "iO", &kind, &payload))
    return nullptr;
  TypeInfo fresh{type, static_cast<Kind>(kind), payload, nullptr};
  const bool is_tensor = fresh.kind == Kind::Dispatched && !PyUnicode_Check(payload);
  if (fresh.kind == Kind::Exchange || fresh.kind == Kind::Torch || is_tensor) {
    fresh.exchange = exchange_of(payload);
    if (!fresh.exchange) {
      PyErr_Clear();
      fresh.kind = Kind::Dlpack;
    }
  }
  Py_INCREF(reinterpret_cast<PyObject *>(type));
  Py_INCREF(payload);
  const TypeInfo old = std::exchange(entry, fresh);
  Py_XDECREF(reinterpret_cast<PyObject *>(old.type));
  Py_XDECREF(old.payload);
  return &entry;
}

const char *type_name(PyObject *object) {
  const Ref name(PyType_GetName(Py_TYPE(object)));
  Ref interned;
  if (name) {
    PyObject *text = name.get();
    Py_INCREF(text);
    PyUnicode_InternInPlace(&text);
    interned = Ref(text);
  }
  const char *result = interned ? PyUnicode_AsUTF8AndSize(interned.get(), nullptr) : nullptr;
  if (!result) {
    PyErr_Clear();
    return "object";
  }
  // Messages of the runtime refer to it after the call's references are gone.
  interned.release();
  return result;
}

} // namespace kernix::python
