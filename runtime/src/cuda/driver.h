// runtime/src/cuda/driver.h - functions of the CUDA driver, by name: the runtime is not linked with CUDA.

#ifndef KERNIX_CUDA_DRIVER_H
#define KERNIX_CUDA_DRIVER_H

#include <cstring>
#include <dlfcn.h>

namespace kernix::cuda {

/// The driver, once loaded for the rest of the process.
class Driver {
public:
  enum class Load { Never, IfMissing };

  explicit Driver(Load load = Load::Never)
      : library_(dlopen("libcuda.so.1", RTLD_NOW | (load == Load::Never ? RTLD_NOLOAD : RTLD_NODELETE))) {}
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;
  ~Driver() {
    if (library_)
      dlclose(library_);
  }

  /// Null if there is no driver, or it has no such function.
  template <class Function> Function find(const char *name) const {
    void *const found = library_ ? dlsym(library_, name) : nullptr;
    Function function;
    static_assert(sizeof function == sizeof found);
    std::memcpy(&function, &found, sizeof found);
    return function;
  }

private:
  void *const library_;
};

} // namespace kernix::cuda

#endif // KERNIX_CUDA_DRIVER_H
