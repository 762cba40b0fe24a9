// runtime/python/src/recording.h - calls that torch records, of the kind that is most of all: tensors are returned, or
// changed that are no views and share no memory with others, and the backward is the compiler's. kernix.torch.simple
// says which functions these are; all others, and tensors with tangents, are recorded in Python
// (kernix.torch.autograd).
//
// A call becomes a node of a torch.autograd.Function whose forward and backward are functions of this file: torch saves
// the tensors that f_bwd reads and counts their changes, and what else f_bwd takes is kept beside them; of a tensor
// that the call changes and f_bwd reads, a copy from before. The backward calls f_bwd as users call it, so that
// whatever watches the call of f watches this one too.

#ifndef KERNIX_PYTHON_RECORDING_H
#define KERNIX_PYTHON_RECORDING_H

#include "call.h"
#include "python.h"

namespace kernix::python {

/// Whether torch records this call by what is known of its operation. -1: an exception is set.
int can_record(const Call &call);

/// Runs a call, recorded by torch.
PyObject *record(Call &call);

/// The types `kernix._binding.Recording`, and RecordedNode, a base of the nodes in torch's graph; null with an
/// exception set.
PyObject *make_recording_type();
PyObject *make_recorded_node_type();
bool init_recording();
bool is_recording(PyObject *object);

/// Forward and backward of the torch.autograd.Function.
PyObject *recorded_forward(PyObject *module, PyObject *const *args, Py_ssize_t num_args);
PyObject *recorded_backward(PyObject *module, PyObject *const *args, Py_ssize_t num_args);

} // namespace kernix::python

#endif // KERNIX_PYTHON_RECORDING_H
