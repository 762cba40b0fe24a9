// runtime/python/src/choice.h - whether a call's variant is chosen by more than the dtypes of its arguments.

#ifndef KERNIX_PYTHON_CHOICE_H
#define KERNIX_PYTHON_CHOICE_H

#include "kernix/selector_abi.h"
#include "python.h"

namespace kernix::python {

/// Asked of each call: false as long as nobody has preferred a dtype or set a policy.
inline bool may_want_choice() {
  constexpr uint32_t bits = KERNIX_WATCH_PREFERENCE | KERNIX_WATCH_POLICY | KERNIX_WATCH_EVERYWHERE;
  return (__atomic_load_n(&kernix_watched, __ATOMIC_RELAXED) & bits) != 0;
}

/// 1: kernix.choice has to decide the call, 0: not, -1: an exception is set.
int wants_choice(PyObject *operation_name);

/// watch_choices(variable): the context variable that says what is preferred. False: the call has been decided.
PyObject *watch_choices(PyObject *module, PyObject *variable);
/// watch_calls(bits, is_on)
PyObject *watch_calls(PyObject *module, PyObject *args);

} // namespace kernix::python

#endif // KERNIX_PYTHON_CHOICE_H
