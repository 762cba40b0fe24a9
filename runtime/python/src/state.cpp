// runtime/python/src/state.cpp

#include "state.h"

namespace kernix::python {

State &state() {
  static State instance;
  return instance;
}

bool init_state() {
  State &s = state();
  const struct {
    PyObject **place;
    const char *text;
  } names[] = {{&s.array_struct, "__array_struct__"},
               {&s.dtype, "dtype"},
               {&s.requires_grad, "requires_grad"},
               {&s.is_neg, "is_neg"},
               {&s.is_conj, "is_conj"},
               {&s.current_level, "_current_level"},
               {&s.need_target, "need_target"},
               {&s.call_with_graph, "call_with_graph"},
               {&s.call_with_jax, "call_with_jax"},
               {&s.call_with_torch, "call_with_torch"},
               {&s.call_with_choice, "call_with_choice"},
               {&s.struct_leaves, "struct_leaves"},
               {&s.struct_value, "struct_value"}};
  for (const auto &name : names) {
    *name.place = PyUnicode_InternFromString(name.text);
    if (!*name.place)
      return false;
  }
  return true;
}

PyObject *configure(PyObject *, PyObject *args) {
  PyObject *errors, *support;
  if (!PyArg_ParseTuple(args, "OO:configure", &errors, &support))
    return nullptr;
  State &s = state();
  const struct {
    PyObject **place;
    PyObject *module;
    const char *name;
  } members[] = {{&s.kernel_error, errors, "KernelError"},
                 {&s.kernel_type_error, errors, "KernelTypeError"},
                 {&s.kernel_value_error, errors, "KernelValueError"},
                 {&s.classify, support, "classify"},
                 {&s.array_dtype, support, "array_dtype"},
                 {&s.from_dlpack, support, "from_dlpack"},
                 {&s.explain_tensor, support, "explain_tensor"},
                 {&s.forward_ad, support, "forward_ad"},
                 {&s.has_tangent, support, "has_tangent"},
                 {&s.is_recorded, support, "is_recorded"},
                 {&s.allocate, support, "allocate"},
                 {&s.allocator, support, "allocator"},
                 {&s.suggest, support, "suggest"},
                 {&s.torch_watchers, support, "torch_watchers"},
                 {&s.is_torch_watching, support, "is_torch_watching"},
                 {&s.version_counter, support, "version_counter"},
                 {&s.python_names, support, "python_names"}};
  for (const auto &member : members) {
    PyObject *value = PyObject_GetAttrString(member.module, member.name);
    if (!value)
      return nullptr;
    Py_XDECREF(std::exchange(*member.place, value));
  }
  Py_RETURN_NONE;
}

} // namespace kernix::python
