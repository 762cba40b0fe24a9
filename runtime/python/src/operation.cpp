// runtime/python/src/operation.cpp - the type of the objects that Python calls.
//
// Calls are answered here (call.cpp), everything else by `details`, a Python object: attributes that the type does not
// have are its attributes.

#include "operation.h"
#include "call.h"
#include "errors.h"
#include "library.h"
#include "recording.h"

#include <cstring>
#include <string>

namespace kernix::python {

namespace {

PyTypeObject *operation_type = nullptr;

Operation *as_operation(PyObject *object) { return reinterpret_cast<Operation *>(object); }

PyObject *operation_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  PyObject *name, *details;
  if (keywords && PyDict_Size(keywords))
    return raise_type_error("Operation() takes no keyword arguments");
  if (!PyArg_ParseTuple(args, "UO:Operation", &name, &details))
    return nullptr;
  PyObject *self = PyType_GenericNew(type, nullptr, nullptr);
  if (!self)
    return nullptr;
  Operation *operation = as_operation(self);
  operation->vectorcall = call_operation;
  operation->name = Py_NewRef(name);
  operation->details = Py_NewRef(details);
  operation->default_target = -1;
  return self;
}

int operation_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_operation(self)->details);
  Py_VISIT(as_operation(self)->recording);
  return 0;
}

int operation_clear(PyObject *self) {
  Py_CLEAR(as_operation(self)->details);
  Py_CLEAR(as_operation(self)->recording);
  return 0;
}

void operation_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (as_operation(self)->weak_references)
    PyObject_ClearWeakRefs(self);
  operation_clear(self);
  Py_XDECREF(as_operation(self)->name);
  delete as_operation(self)->plan;
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/// tp_call, for callers that do not know vectorcall: positional and keyword arguments in one row.
PyObject *operation_call(PyObject *self, PyObject *args, PyObject *keywords) {
  const Py_ssize_t num_args = PyTuple_Size(args);
  const Py_ssize_t num_names = keywords ? PyDict_Size(keywords) : 0;
  std::vector<PyObject *> row;
  row.reserve(static_cast<size_t>(num_args + num_names));
  for (Py_ssize_t i = 0; i < num_args; ++i)
    row.push_back(PyTuple_GetItem(args, i));
  const Ref names(num_names ? PyTuple_New(num_names) : nullptr);
  if (num_names && !names)
    return nullptr;
  Py_ssize_t position = 0, index = 0;
  PyObject *name, *value;
  while (num_names && PyDict_Next(keywords, &position, &name, &value)) {
    row.push_back(value);
    PyTuple_SetItem(names.get(), index++, Py_NewRef(name));
  }
  return call_operation(self, row.data(), static_cast<size_t>(num_args), names.get());
}

/// Both targets of one operation must look the same from Python.
bool same_parameters(const kernix_operation &left, const kernix_operation &right) {
  const kernix_function &a = *left.functions[0], &b = *right.functions[0];
  if (a.num_parameters != b.num_parameters)
    return false;
  for (int32_t i = 0; i < a.num_parameters; ++i)
    if (std::strcmp(a.parameters[i].name, b.parameters[i].name) != 0)
      return false;
  return true;
}

PyObject *operation_attach(PyObject *self, PyObject *object) {
  if (!is_library(object))
    return raise_type_error("attach: expected a Library");
  Operation *operation = as_operation(self);
  const auto *library = reinterpret_cast<const Library *>(object);
  const char *name = PyUnicode_AsUTF8AndSize(operation->name, nullptr);
  const kernix_operation *found = name ? find_operation(library, name) : nullptr;
  if (!found)
    return raise_error("%S has no operation '%U'", library->path, operation->name);
  const kernix_operation *other = operation->operations[library->info->target == KERNIX_TARGET_CPU];
  if (other && !same_parameters(*found, *other))
    return raise_error("'%U' has other parameters on the CPU than on CUDA; a bound function must have the same in both "
                       "passes of the compiler",
                       operation->name);
  if (!operation->plan && !(operation->plan = make_plan(*found)))
    return nullptr;
  operation->operations[library->info->target] = found;
  if (operation->default_target < 0)
    operation->default_target = static_cast<int>(library->info->target);
  Py_RETURN_NONE;
}

/// Whether it is new: with one already a call comes to Python for a reason of its own.
PyObject *operation_record_with(PyObject *self, PyObject *recording) {
  if (!is_recording(recording))
    return raise_type_error("record_with: expected a Recording");
  if (as_operation(self)->recording)
    Py_RETURN_FALSE;
  as_operation(self)->recording = reinterpret_cast<Recording *>(Py_NewRef(recording));
  Py_RETURN_TRUE;
}

/// A function is no method: found in a class it stays what it is.
PyObject *operation_descr_get(PyObject *self, PyObject *, PyObject *) { return Py_NewRef(self); }

PyObject *operation_getattro(PyObject *self, PyObject *name) {
  PyObject *found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError) || !as_operation(self)->details)
    return found;
  PyErr_Clear();
  return PyObject_GetAttr(as_operation(self)->details, name);
}

PyObject *operation_repr(PyObject *self) {
  return as_operation(self)->details ? PyObject_Repr(as_operation(self)->details) : Py_NewRef(as_operation(self)->name);
}

PyObject *operation_dir(PyObject *self, PyObject *) { return PyObject_Dir(as_operation(self)->details); }

/// As with Python's own functions, a copy is the same one: objects that hold one can be copied.
PyObject *operation_copy(PyObject *self, PyObject *) { return Py_NewRef(self); }

PyObject *operation_reduce(PyObject *self, PyObject *) {
  const Ref error(PyObject_CallMethod(as_operation(self)->details, "unpicklable", nullptr));
  if (error)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
  return nullptr;
}

/// For names that every type has itself, so that operation_getattro never hears of them.
PyObject *get_from_details(PyObject *self, void *name) {
  return PyObject_GetAttrString(as_operation(self)->details, static_cast<const char *>(name));
}

char doc_name[] = "__doc__", module_name[] = "__module__";
PyGetSetDef operation_getset[] = {{doc_name, get_from_details, nullptr, nullptr, doc_name},
                                  {module_name, get_from_details, nullptr, nullptr, module_name},
                                  {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef operation_methods[] = {
    {"_attach", operation_attach, METH_O, "Takes the operation of this name from a Library, for its target."},
    {"_call_in_fixed_order", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_in_fixed_order)),
     METH_FASTCALL | METH_KEYWORDS, "The same, refused where threads decide the order of a derivative's sums."},
    {"_call_on_zeros", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_on_zeros)),
     METH_FASTCALL | METH_KEYWORDS, "The call, whose outputs are zero where the function does not write them."},
    {"_record_with", operation_record_with, METH_O, "Takes how torch records its calls; whether that was not known."},
    {"_call_plainly", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_plainly)),
     METH_FASTCALL | METH_KEYWORDS, "The call of a kernel of torch's dispatcher."},
    {"_variant_of_call", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(variant_of_call)),
     METH_FASTCALL | METH_KEYWORDS, "The index of the variant that a call with these arguments runs."},
    {"__dir__", operation_dir, METH_NOARGS, nullptr},
    {"__copy__", operation_copy, METH_NOARGS, nullptr},
    {"__deepcopy__", operation_copy, METH_O, nullptr},
    {"__reduce__", operation_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef operation_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Operation, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Operation, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot operation_slots[] = {{Py_tp_new, reinterpret_cast<void *>(operation_new)},
                                 {Py_tp_dealloc, reinterpret_cast<void *>(operation_dealloc)},
                                 {Py_tp_traverse, reinterpret_cast<void *>(operation_traverse)},
                                 {Py_tp_clear, reinterpret_cast<void *>(operation_clear)},
                                 {Py_tp_call, reinterpret_cast<void *>(operation_call)},
                                 {Py_tp_repr, reinterpret_cast<void *>(operation_repr)},
                                 {Py_tp_getattro, reinterpret_cast<void *>(operation_getattro)},
                                 {Py_tp_descr_get, reinterpret_cast<void *>(operation_descr_get)},
                                 {Py_tp_getset, operation_getset},
                                 {Py_tp_methods, operation_methods},
                                 {Py_tp_members, operation_members},
                                 {0, nullptr}};
PyType_Spec operation_spec = {"kernix.Function", sizeof(Operation), 0,
                              static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | have_vectorcall_flag),
                              operation_slots};

} // namespace

PyObject *make_operation_type() {
  PyObject *type = PyType_FromSpec(&operation_spec);
  operation_type = reinterpret_cast<PyTypeObject *>(Py_XNewRef(type));
  return type;
}

bool is_operation(PyObject *object) { return Py_TYPE(object) == operation_type; }

} // namespace kernix::python
