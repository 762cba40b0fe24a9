// runtime/python/src/bind.h - from the arguments of a Python call to one object per C++ parameter, and launch sizes.

#ifndef KERNIX_PYTHON_BIND_H
#define KERNIX_PYTHON_BIND_H

#include "plan.h"
#include "python.h"

namespace kernix::python {

/// Launch sizes are keywords of every kernel, unless a parameter has the name; the first two always mean the launch.
enum LaunchKeyword { launch_block_size, launch_grid_size, block, grid, shared_bytes, num_launch_keywords };

bool init_launch_keywords();

/// Fills `given` (one borrowed object per parameter, null: left out) and the launch sizes. False with an exception set.
bool bind_arguments(const Plan &plan, PyObject *const *args, Py_ssize_t num_args, PyObject *names, PyObject **given,
                    kernix_call_options *options);

/// Whether a keyword of a call is a launch size.
bool is_launch_size(const Plan &plan, PyObject *name);

/// The launch sizes of a dict. False with an exception set.
bool bind_launch(const Plan &plan, PyObject *sizes, kernix_call_options *options);

} // namespace kernix::python

#endif // KERNIX_PYTHON_BIND_H
