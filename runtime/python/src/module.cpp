// runtime/python/src/module.cpp - the module kernix._binding.
//
// Opens built objects and calls their operations. What a call does not need on its fast path is written in Python.

#include "bind.h"
#include "kernix/abi.h"
#include "library.h"
#include "operation.h"
#include "state.h"
#include "xla.h"

using namespace kernix::python;

namespace {

PyMethodDef methods[] = {
    {"configure", configure, METH_VARARGS, "Takes the modules kernix.errors and kernix._support."},
    {"resources", kernel_resources, METH_VARARGS, "Resources of a kernel, as a dict."},
    {"read_values", read_values, METH_VARARGS, "Which values a derivative reads, a byte for each parameter."},
    {"trace_call", trace_call, METH_VARARGS, "Variant and outputs of a call whose arrays have no data."},
    {"xla_target", xla_target, METH_VARARGS,
     "The address of the XLA handler of a target, and whether it was another's."},
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
  const Ref library(make_library_type()), operation(make_operation_type());
  return library && operation && init_state() && init_launch_keywords() &&
         !PyModule_AddObjectRef(module, "Library", library.get()) &&
         !PyModule_AddObjectRef(module, "Operation", operation.get()) &&
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
