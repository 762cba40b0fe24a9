// runtime/python/src/library.cpp

#include "library.h"
#include "errors.h"
#include "kernix/selector_abi.h"

#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace kernix::python {

namespace {

PyTypeObject *library_type = nullptr;

Library *as_library(PyObject *object) { return reinterpret_cast<Library *>(object); }

bool open_library(Library *library, const char *path) {
  void *handle;
  Py_BEGIN_ALLOW_THREADS;
  handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  Py_END_ALLOW_THREADS;
  if (!handle) {
    raise_error("%s cannot be opened: %s", path, dlerror());
    return false;
  }
  library->info = static_cast<const kernix_module_info *>(dlsym(handle, "kernix_module_info"));
  if (!library->info) {
    raise_error("%s has no bound functions: annotate some with [[kernix::bind]] (symbol kernix_module_info is missing)",
                path);
    dlclose(handle);
    return false;
  }
  if (const int status = kernix_module_operations(library->info, &library->operations, &library->num_operations)) {
    raise_status(status);
    return false;
  }
  return true;
}

PyObject *library_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  if (keywords && PyDict_Size(keywords))
    return raise_type_error("Library() takes no keyword arguments");
  PyObject *path;
  if (!PyArg_ParseTuple(args, "O&:Library", PyUnicode_FSConverter, &path))
    return nullptr;
  const Ref encoded(path);
  Ref self(PyType_GenericNew(type, nullptr, nullptr));
  if (!self)
    return nullptr;
  Library *library = as_library(self.get());
  const char *text = PyBytes_AsString(path);
  library->path = PyUnicode_DecodeFSDefault(text);
  if (!library->path || !open_library(library, text))
    return nullptr;
  return self.release();
}

void library_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(as_library(self)->path);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject *get_path(PyObject *self, void *) { return Py_NewRef(as_library(self)->path); }

PyObject *get_target(PyObject *self, void *) {
  return PyUnicode_FromString(as_library(self)->info->target == KERNIX_TARGET_CUDA ? "cuda" : "cpu");
}

PyObject *get_compiler(PyObject *self, void *) { return PyUnicode_FromString(as_library(self)->info->compiler); }

/// {name: (json of each variant, ...)}
PyObject *get_records(PyObject *self, void *) {
  const Library *library = as_library(self);
  Ref result(PyDict_New());
  if (!result)
    return nullptr;
  for (int32_t i = 0; i < library->num_operations; ++i) {
    const kernix_operation *operation = library->operations[i];
    const Ref records(PyTuple_New(operation->num_functions));
    if (!records)
      return nullptr;
    for (int32_t v = 0; v < operation->num_functions; ++v) {
      PyObject *text = PyUnicode_FromString(operation->functions[v]->json);
      if (!text || PyTuple_SetItem(records.get(), v, text))
        return nullptr;
    }
    if (PyDict_SetItemString(result.get(), operation->name, records.get()))
      return nullptr;
  }
  return result.release();
}

/// The number of the kernel dtype of each variant.
PyObject *kernel_dtypes(PyObject *self, PyObject *name) {
  const char *text = PyUnicode_AsUTF8AndSize(name, nullptr);
  const kernix_operation *operation = text ? find_operation(as_library(self), text) : nullptr;
  if (!operation)
    return text ? raise_error("no operation '%s'", text) : nullptr;
  Ref found(PyTuple_New(operation->num_functions));
  for (int32_t v = 0; found && v < operation->num_functions; ++v) {
    int32_t dtype = 0;
    if (const int status = kernix_operation_kernel_dtype(operation, v, &dtype))
      return raise_status(status);
    PyTuple_SetItem(found.get(), v, PyLong_FromLong(dtype));
  }
  return found.release();
}

/// The variants of all operations become known to the selectors of a target that is not opened yet.
PyObject *register_for(PyObject *self, PyObject *target) {
  const char *text = PyUnicode_AsUTF8AndSize(target, nullptr);
  if (!text)
    return nullptr;
  const Library *library = as_library(self);
  for (int32_t i = 0; i < library->num_operations; ++i)
    if (const int status = kernix_registry_register_operation(library->operations[i],
                                                              std::strcmp(text, "cuda") ? KERNIX_CPU : KERNIX_CUDA))
      return raise_status(status);
  Py_RETURN_NONE;
}

PyMethodDef library_methods[] = {
    {"kernel_dtypes", kernel_dtypes, METH_O, "kernel_dtypes(name): number of the kernel dtype of each variant"},
    {"register_for", register_for, METH_O, "register_for(target): makes variants known to selectors of another target"},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef library_getset[] = {
    {"path", get_path, nullptr, "path of the shared object", nullptr},
    {"target", get_target, nullptr, "'cpu' or 'cuda'", nullptr},
    {"compiler", get_compiler, nullptr, "version of the compiler that made it", nullptr},
    {"records", get_records, nullptr, "operations by name: the records of their variants as JSON", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot library_slots[] = {{Py_tp_new, reinterpret_cast<void *>(library_new)},
                               {Py_tp_dealloc, reinterpret_cast<void *>(library_dealloc)},
                               {Py_tp_getset, library_getset},
                               {Py_tp_methods, library_methods},
                               {Py_tp_doc, const_cast<char *>("A shared object with bound functions, opened.")},
                               {0, nullptr}};
PyType_Spec library_spec = {"kernix._binding.Library", sizeof(Library), 0, Py_TPFLAGS_DEFAULT, library_slots};

} // namespace

const kernix_operation *find_operation(const Library *library, const char *name) {
  for (int32_t i = 0; i < library->num_operations; ++i)
    if (!std::strcmp(library->operations[i]->name, name))
      return library->operations[i];
  return nullptr;
}

PyObject *make_library_type() {
  PyObject *type = PyType_FromSpec(&library_spec);
  library_type = reinterpret_cast<PyTypeObject *>(type);
  return type;
}

bool is_library(PyObject *object) { return Py_TYPE(object) == library_type; }

namespace {

/// The function that `library, name, variant` name; null with an error.
const kernix_function *find_variant(PyObject *object, const char *name, int variant) {
  const kernix_operation *operation = is_library(object) ? find_operation(as_library(object), name) : nullptr;
  if (operation && variant >= 0 && variant < operation->num_functions)
    return operation->functions[variant];
  raise_error("no variant %d of '%s'", variant, name);
  return nullptr;
}

} // namespace

PyObject *read_values(PyObject *, PyObject *args) {
  PyObject *object;
  const char *name;
  int variant, device;
  unsigned long long stream;
  if (!PyArg_ParseTuple(args, "OsiiK:read_values", &object, &name, &variant, &device, &stream))
    return nullptr;
  const kernix_function *function = find_variant(object, name, variant);
  if (!function)
    return nullptr;
  std::vector<uint8_t> is_read(static_cast<size_t>(function->num_parameters) + 1);
  if (const int status = kernix_read_values(function, device, reinterpret_cast<void *>(stream), is_read.data()))
    return raise_status(status);
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(is_read.data()), function->num_parameters);
}

PyObject *kernel_resources(PyObject *, PyObject *args) {
  PyObject *object;
  const char *name;
  int variant, block_size;
  Py_ssize_t shared_bytes;
  if (!PyArg_ParseTuple(args, "Osiin:resources", &object, &name, &variant, &block_size, &shared_bytes))
    return nullptr;
  const kernix_function *function = find_variant(object, name, variant);
  if (!function)
    return nullptr;
  kernix_resources resources{};
  if (const int status = kernix_kernel_resources(function, block_size, static_cast<size_t>(shared_bytes), &resources))
    return raise_status(status);
  return Py_BuildValue("{s:i,s:L,s:L,s:L,s:i,s:i,s:d,s:O}", "registers", resources.registers, "shared_bytes",
                       static_cast<long long>(resources.shared_bytes), "constant_bytes",
                       static_cast<long long>(resources.constant_bytes), "local_bytes",
                       static_cast<long long>(resources.local_bytes), "max_threads_per_block",
                       resources.max_threads_per_block, "occupancy_blocks", resources.occupancy_blocks, "occupancy",
                       resources.occupancy, "fibers", resources.fibers ? Py_True : Py_False);
}

} // namespace kernix::python
