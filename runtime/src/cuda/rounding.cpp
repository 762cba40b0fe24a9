// runtime/src/cuda/rounding.cpp - through the driver: these kernels belong to no CUDA runtime.

#include "cuda/rounding.h"

#include "cuda/driver.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>

namespace kernix::cuda {

namespace {

// rounding_kernels.cu as PTX.
constexpr char code[] =
#include "rounding.ptx.inc"
    ;

constexpr unsigned threads_per_block = 256;
constexpr int64_t most_blocks = 1 << 16;

struct Library;  // CUlibrary
struct Kernel;   // CUkernel
struct Function; // CUfunction

struct Kernels {
  const Function *float16, *bfloat16;
};

/// Of the driver that the process has loaded.
struct Functions {
  int (*load)(Library **library, const void *code, void *jit_options, void **jit_values, unsigned num_jit_options,
              void *options, void **values, unsigned num_options) = nullptr;
  int (*get_kernel)(Kernel **kernel, Library *library, const char *name) = nullptr;
  int (*get_function)(Function **function, Kernel *kernel) = nullptr;
  int (*launch)(const Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **args,
                void **extra) = nullptr;

  void find() {
    const Driver driver;
    load = driver.find<decltype(load)>("cuLibraryLoadData");
    get_kernel = driver.find<decltype(get_kernel)>("cuLibraryGetKernel");
    get_function = driver.find<decltype(get_function)>("cuKernelGetFunction");
    launch = driver.find<decltype(launch)>("cuLaunchKernel");
  }
  bool are_complete() const { return load && get_kernel && get_function && launch; }
};

/// Guarded by `mutex`. Nothing is ever unloaded.
struct Table {
  std::mutex mutex;
  Functions driver;
  Library *library = nullptr;
  std::unordered_map<int, Kernels> kernels; ///< by device

  static Table &instance() {
    static auto *const table = new Table; // outlives threads that still launch at exit
    return *table;
  }

  int load(const char *name, const Function **function) {
    Kernel *kernel = nullptr;
    Function *found = nullptr;
    int error = driver.get_kernel(&kernel, library, name);
    if (!error)
      error = driver.get_function(&found, kernel);
    *function = found;
    return error;
  }
};

int fail(const kernix_function &function, const char *what, int error) {
  return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: the kernel that rounds gradients cannot be %s: CUDA error %d",
                          function.signature, what, error);
}

} // namespace

int load_rounding(const kernix_function &function, int device) {
  Table &table = Table::instance();
  const std::lock_guard lock(table.mutex);
  if (table.kernels.contains(device))
    return KERNIX_OK;
  Functions &driver = table.driver;
  if (!driver.are_complete())
    driver.find();
  if (!driver.are_complete())
    return kernix_set_error(KERNIX_ERROR_RUNTIME,
                            "%s: its gradients of 16 bits are rounded through a CUDA driver from 12.0 on, and none is "
                            "loaded",
                            function.signature);
  // The driver wants a context, which a thread has from its first call of the CUDA runtime.
  if (const int error = function.cuda->set_device ? function.cuda->set_device(device) : 0)
    return fail(function, "loaded", error);
  int error = table.library ? 0 : driver.load(&table.library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
  Kernels kernels = {};
  if (!error)
    error = table.load("kernix_round_float16", &kernels.float16);
  if (!error)
    error = table.load("kernix_round_bfloat16", &kernels.bfloat16);
  if (error)
    return fail(function, "loaded", error);
  table.kernels[device] = kernels;
  return KERNIX_OK;
}

int round(const kernix_function &function, int device, kernix_dtype dtype, void *elements, const float *sums,
          int64_t count, void *stream) {
  Table &table = Table::instance();
  Kernels kernels = {};
  {
    const std::lock_guard lock(table.mutex);
    kernels = table.kernels.at(device);
  }
  auto size = static_cast<uint64_t>(count);
  void *args[] = {&elements, &sums, &size};
  const auto blocks = static_cast<unsigned>(std::min((count + threads_per_block - 1) / threads_per_block, most_blocks));
  const Function *const kernel = dtype.code == KERNIX_FLOAT ? kernels.float16 : kernels.bfloat16;
  if (const int error =
          table.driver.launch(kernel, blocks, 1, 1, threads_per_block, 1, 1, 0, stream, args, /*extra=*/nullptr))
    return fail(function, "launched", error);
  return KERNIX_OK;
}

} // namespace kernix::cuda
