// runtime/python/src/torch_state.cpp

#include "torch_state.h"
#include "state.h"

#include <cstdint>
#include <dlfcn.h>

namespace kernix::python {

namespace {

/// Functions of torch's libraries. Keys of its dispatcher are numbers of 16 bits that differ between versions.
struct Watchers {
  bool (*is_included)(uint16_t) = nullptr;
  bool (*is_excluded)(uint16_t) = nullptr;
  bool (*is_grad_enabled)() = nullptr;
  bool (*has_function_mode)() = nullptr;
  bool (*has_callbacks)() = nullptr;
  void *(*context)() = nullptr;
  bool (*is_deterministic)(const void *context) = nullptr;
  uint16_t included[8] = {}; ///< keys of modes, transforms and tracers: included while one is there
  uint16_t excluded[8] = {}; ///< keys of autocast: excluded unless it is on
  int num_included = 0;
  int num_excluded = 0;
  bool is_complete = false;
};

template <class Function> bool find(void *library, const char *name, Function *function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function;
}

bool take_keys(PyObject *row, uint16_t (&keys)[8], int *count) {
  const Py_ssize_t size = PyTuple_Size(row);
  if (size < 0 || size > 8)
    return false;
  for (Py_ssize_t i = 0; i < size; ++i)
    keys[(*count)++] = static_cast<uint16_t>(PyLong_AsLong(PyTuple_GetItem(row, i)));
  return !PyErr_Occurred();
}

/// The answer of kernix._support.torch_watchers: (libc10, libtorch_cpu, included keys, excluded keys), or None.
bool fill(PyObject *answer, Watchers *watchers) {
  const char *core_path, *cpu_path;
  PyObject *included, *excluded;
  if (answer == Py_None)
    return true;
  if (!PyArg_ParseTuple(answer, "ssO!O!", &core_path, &cpu_path, &PyTuple_Type, &included, &PyTuple_Type, &excluded) ||
      !take_keys(included, watchers->included, &watchers->num_included) ||
      !take_keys(excluded, watchers->excluded, &watchers->num_excluded))
    return false;
  // Never loaded here: they are in the process already, and stay in it.
  void *core = dlopen(core_path, RTLD_LAZY | RTLD_NOLOAD), *cpu = dlopen(cpu_path, RTLD_LAZY | RTLD_NOLOAD);
  watchers->is_complete =
      core && cpu &&
      find(core, "_ZN3c104impl28tls_is_dispatch_key_includedENS_11DispatchKeyE", &watchers->is_included) &&
      find(core, "_ZN3c104impl28tls_is_dispatch_key_excludedENS_11DispatchKeyE", &watchers->is_excluded) &&
      find(core, "_ZN3c108GradMode10is_enabledEv", &watchers->is_grad_enabled) &&
      find(cpu, "_ZN2at4impl27torch_function_mode_enabledEv", &watchers->has_function_mode) &&
      find(cpu, "_ZN2at12hasCallbacksEv", &watchers->has_callbacks) &&
      find(cpu, "_ZN2at13globalContextEv", &watchers->context) &&
      find(cpu, "_ZNK2at7Context23deterministicAlgorithmsEv", &watchers->is_deterministic);
  return true;
}

/// Null with an exception set.
const Watchers *watchers() {
  static Watchers instance;
  static bool is_filled = false;
  if (is_filled)
    return &instance;
  const Ref answer(PyObject_CallFunctionObjArgs(state().torch_watchers, nullptr));
  if (!answer || !fill(answer.get(), &instance))
    return nullptr;
  is_filled = true;
  return &instance;
}

int ask_python(PyObject *function) {
  const Ref answer(PyObject_CallFunctionObjArgs(function, nullptr));
  return answer ? answer.get() == Py_True : -1;
}

} // namespace

int is_torch_recording() {
  const Watchers *w = watchers();
  if (!w)
    return -1;
  return w->is_complete ? w->is_grad_enabled() : ask_python(state().is_recorded);
}

int is_forward_ad_on() {
  static PyObject *variables = nullptr, *none = nullptr;
  if (!variables && (!(none = PyLong_FromLong(-1)) || !(variables = PyObject_CallNoArgs(state().forward_ad))))
    return -1;
  PyObject *level = PyDict_GetItemWithError(variables, state().current_level);
  if (!level && PyErr_Occurred())
    return -1;
  return level != none; // small integers are one object each
}

int is_torch_watching() {
  const Watchers *w = watchers();
  if (!w)
    return -1;
  if (!w->is_complete)
    return ask_python(state().is_torch_watching);
  for (int i = 0; i < w->num_included; ++i)
    if (w->is_included(w->included[i]))
      return 1;
  for (int i = 0; i < w->num_excluded; ++i)
    if (!w->is_excluded(w->excluded[i]))
      return 1;
  return w->has_function_mode() || w->has_callbacks() || w->is_deterministic(w->context());
}

} // namespace kernix::python
