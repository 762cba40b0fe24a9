// runtime/python/src/state.h - what the extension keeps for the process: exception classes, interned names, the Python
// half (kernix._support) that answers what is rare.

#ifndef KERNIX_PYTHON_STATE_H
#define KERNIX_PYTHON_STATE_H

#include "python.h"

namespace kernix::python {

struct State {
  // From kernix.errors.
  PyObject *kernel_error = nullptr;
  PyObject *kernel_type_error = nullptr;
  PyObject *kernel_value_error = nullptr;
  // Functions of kernix._support.
  PyObject *classify = nullptr;          ///< (type) -> (kind, payload)
  PyObject *array_dtype = nullptr;       ///< (array) -> (code, bits)
  PyObject *from_dlpack = nullptr;       ///< (object) -> (capsule, stream or None)
  PyObject *explain_tensor = nullptr;    ///< (tensor) -> why it cannot be taken
  PyObject *forward_ad = nullptr;        ///< () -> the variables of torch.autograd.forward_ad
  PyObject *has_tangent = nullptr;       ///< (tensor) -> bool
  PyObject *is_recorded = nullptr;       ///< () -> whether torch records what is computed
  PyObject *allocate = nullptr;          ///< (kind, like, shape, code, bits, device type, device, zeroed) -> array
  PyObject *allocator = nullptr;         ///< (kind, code, bits, device type, zeroed) -> (function, dtype or None)
  PyObject *suggest = nullptr;           ///< (word, words) -> " (did you mean ...?)" or ""
  PyObject *torch_watchers = nullptr;    ///< () -> what torch_state.cpp asks of torch's libraries, or None
  PyObject *is_torch_watching = nullptr; ///< () -> the same, asked in Python
  PyObject *version_counter = nullptr;   ///< () -> torch's function that counts a change of tensors in place
  PyObject *python_names = nullptr;      ///< (names) -> what Python calls them
  // Interned names.
  PyObject *array_struct = nullptr;
  PyObject *dtype = nullptr;
  PyObject *requires_grad = nullptr;
  PyObject *is_neg = nullptr;
  PyObject *current_level = nullptr;
  PyObject *is_conj = nullptr;
  PyObject *need_target = nullptr;
  PyObject *call_with_graph = nullptr;
  PyObject *call_with_jax = nullptr;
  PyObject *call_with_torch = nullptr;
  PyObject *call_with_choice = nullptr;
  PyObject *struct_leaves = nullptr;
  PyObject *struct_value = nullptr;
};

State &state();

/// Fills the names; false with an exception set.
bool init_state();
/// Takes the errors and functions from the modules kernix.errors and kernix._support.
PyObject *configure(PyObject *module, PyObject *args);

} // namespace kernix::python

#endif // KERNIX_PYTHON_STATE_H
