// runtime/python/src/module.cpp - the module kernix._binding.
//
// Opens built objects and calls their operations. What a call does not need on its fast path is written in Python.

#include "bind.h"
#include "choice.h"
#include "kernix/abi.h"
#include "library.h"
#include "operation.h"
#include "recording.h"
#include "selector.h"
#include "state.h"
#include "xla.h"

using namespace kernix::python;

namespace {

PyMethodDef methods[] = {
    {"check_capability", check_capability, METH_VARARGS, "Raises if a capability has values that it cannot have."},
    {"configure", configure, METH_VARARGS, "Takes the modules kernix.errors and kernix._support."},
    {"kernel_dtype_of", kernel_dtype_of, METH_VARARGS, "The kernel dtype of several dtypes."},
    {"recorded_backward", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(recorded_backward)), METH_FASTCALL,
     "The gradients of a recorded call, from its node in torch's graph."},
    {"recorded_forward", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(recorded_forward)), METH_FASTCALL,
     "Runs a call that is recorded, below torch.autograd.Function."},
    {"registry_clear", registry_clear, METH_NOARGS, "Forgets the process's selectors."},
    {"registry_selector", registry_selector, METH_VARARGS, "The process's selector of a device."},
    {"registry_selectors", registry_selectors, METH_NOARGS, "All selectors of the process."},
    {"resources", kernel_resources, METH_VARARGS, "Resources of a kernel, as a dict."},
    {"read_values", read_values, METH_VARARGS, "Which values a derivative reads, a byte for each parameter."},
    {"trace_call", trace_call, METH_VARARGS, "Variant and outputs of a call whose arrays have no data."},
    {"watch_calls", watch_calls, METH_VARARGS, "Sets bits of kernix_watched, or clears them."},
    {"watch_choices", watch_choices, METH_O, "Takes the context variable of what is preferred."},
    {"xla_target", xla_target, METH_VARARGS,
     "The address of the XLA handler of a target, and whether it was another's."},
    {"add_batched", add_batched, METH_VARARGS, "Gives a library kernels that take a batch in one launch."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "kernix._binding",
                          "Calls operations of built modules.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

bool fill(PyObject *module) {
  const Ref library(make_library_type()), operation(make_operation_type()), selector(make_selector_type()),
      recording(make_recording_type()), node(make_recorded_node_type());
  return library && operation && selector && recording && node && init_recording() && init_state() &&
         init_launch_keywords() && !PyModule_AddObjectRef(module, "Library", library.get()) &&
         !PyModule_AddObjectRef(module, "Operation", operation.get()) &&
         !PyModule_AddObjectRef(module, "Recording", recording.get()) &&
         !PyModule_AddObjectRef(module, "RecordedNode", node.get()) &&
         !PyModule_AddObjectRef(module, "Selector", selector.get()) &&
         !PyModule_AddIntConstant(module, "abi_version", static_cast<long>(kernix_runtime_abi_version())) &&
         !PyModule_AddStringConstant(module, "runtime_version", kernix_runtime_version());
}

} // namespace

PyMODINIT_FUNC PyInit__binding() {
  if (kernix_runtime_abi_version() != KERNIX_ABI_VERSION) {
    PyErr_Format(PyExc_ImportError, "libkernix_runtime has ABI %u, kernix._binding expects %d",
                 kernix_runtime_abi_version(), KERNIX_ABI_VERSION);
    return nullptr;
  }
  Ref module(PyModule_Create(&definition));
  return module && fill(module.get()) ? module.release() : nullptr;
}
