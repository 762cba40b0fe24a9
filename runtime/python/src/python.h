// runtime/python/src/python.h - Python's limited API as the extension uses it.
//
// One build serves Python 3.11 and newer. Vectorcall entered the limited API with 3.12 only, but its binary interface
// is that of 3.9: the two declarations that 3.11's headers hide are made here.

#ifndef KERNIX_PYTHON_PYTHON_H
#define KERNIX_PYTHON_PYTHON_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <utility>

namespace kernix::python {

using Vectorcall = PyObject *(*)(PyObject * callable, PyObject *const *args, size_t nargsf, PyObject *names);
inline constexpr unsigned long have_vectorcall_flag = 1UL << 11;
inline constexpr size_t vectorcall_arguments_offset = size_t{1} << (8 * sizeof(size_t) - 1);

/// A strong reference.
class Ref {
public:
  Ref() = default;
  /// Takes over a new reference; null is allowed.
  explicit Ref(PyObject *owned) : object_(owned) {}
  static Ref borrowed(PyObject *object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    Ref old(std::exchange(object_, std::exchange(other.object_, nullptr)));
    return *this;
  }
  Ref(const Ref &) = delete;
  Ref &operator=(const Ref &) = delete;
  ~Ref() { Py_XDECREF(object_); }

  PyObject *get() const { return object_; }
  PyObject *release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

private:
  PyObject *object_ = nullptr;
};

} // namespace kernix::python

#endif // KERNIX_PYTHON_PYTHON_H
