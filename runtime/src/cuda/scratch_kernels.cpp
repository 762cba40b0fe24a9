// runtime/src/cuda/scratch_kernels.cpp - through the driver: these kernels belong to no CUDA runtime.

#include "cuda/scratch_kernels.h"

#include "cuda/driver.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <mutex>
#include <string>
#include <unordered_map>

namespace kernix::cuda {

namespace {

// scratch_kernels.cu as PTX.
constexpr char code[] =
#include "scratch_kernels.ptx.inc"
    ;

constexpr unsigned threads_per_block = 256;
constexpr int64_t most_blocks = 1 << 16;
constexpr unsigned warp_size = 32;

struct Library;  // CUlibrary
struct Kernel;   // CUkernel
struct Function; // CUfunction

/// In the order of `names`.
enum Name { AddFloat16, AddBfloat16, AddFloat32, AddFloat64, AddNotes32, AddNotes64, StorePointer, num_kernels };
constexpr const char *names[] = {"kernix_add_copies_float16", "kernix_add_copies_bfloat16", "kernix_add_copies_float32",
                                 "kernix_add_copies_float64", "kernix_add_notes_float32",   "kernix_add_notes_float64",
                                 "kernix_store_pointer"};
static_assert(std::size(names) == num_kernels);

using Kernels = std::array<const Function *, num_kernels>;

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
  return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: the kernels that add to gradients cannot be %s: CUDA error %d",
                          function.signature, what, error);
}

/// For so many threads, or as many as there may be.
int launch(const kernix_function &function, int device, Name name, int64_t threads, void **args, void *stream) {
  Table &table = Table::instance();
  const Function *kernel = nullptr;
  {
    const std::lock_guard lock(table.mutex);
    kernel = table.kernels.at(device)[name];
  }
  const auto blocks =
      static_cast<unsigned>(std::min(threads / threads_per_block + (threads % threads_per_block != 0), most_blocks));
  const int error = table.driver.launch(kernel, blocks, 1, 1, threads_per_block, 1, 1, 0, stream, args,
                                        /*extra=*/nullptr);
  return error ? fail(function, "launched", error) : KERNIX_OK;
}

} // namespace

int load_scratch_kernels(const kernix_function &function, int device) {
  Table &table = Table::instance();
  const std::lock_guard lock(table.mutex);
  if (table.kernels.contains(device))
    return KERNIX_OK;
  Functions &driver = table.driver;
  if (!driver.are_complete())
    driver.find();
  if (!driver.are_complete())
    return kernix_set_error(KERNIX_ERROR_RUNTIME,
                            "%s: its gradients are kept in scratch memory, which takes a CUDA driver from 12.0 on, and "
                            "none is loaded",
                            function.signature);
  // The driver wants a context, which a thread has from its first call of the CUDA runtime.
  if (const int error = function.cuda->set_device ? function.cuda->set_device(device) : 0)
    return fail(function, "loaded", error);
  int error = table.library ? 0 : driver.load(&table.library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
  Kernels kernels = {};
  for (size_t k = 0; !error && k < kernels.size(); ++k)
    error = table.load(names[k], &kernels[k]);
  if (error)
    return fail(function, "loaded", error);
  table.kernels[device] = kernels;
  return KERNIX_OK;
}

int add_copies(const kernix_function &function, int device, const core::Copies &copies, void *stream) {
  const kernix_dtype dtype = copies.dtype;
  const Name kernel = dtype.bits == 64             ? AddFloat64
                      : dtype.bits == 32           ? AddFloat32
                      : dtype.code == KERNIX_FLOAT ? AddFloat16
                                                   : AddBfloat16;
  const unsigned of_sector = KERNIX_SECTOR_BYTES / (dtype.bits == 64 ? 8 : 4);
  void *elements = copies.first, *sums = copies.sums;
  auto count = static_cast<uint64_t>(copies.elements), skipped = static_cast<uint64_t>(copies.skipped),
       of_each = static_cast<uint64_t>(copies.of_each);
  unsigned lanes = of_sector * std::min(std::bit_floor(static_cast<unsigned>(of_each)), warp_size / of_sector);
  void *args[] = {&elements, &sums, &count, &skipped, &of_each, &lanes};
  const int64_t sectors = (copies.skipped + copies.elements - 1) / of_sector + 1;
  return launch(function, device, kernel, sectors > INT64_MAX / lanes ? INT64_MAX : sectors * lanes, args, stream);
}

int add_notes(const kernix_function &function, int device, kernix_dtype dtype, const kernix_note *notes, int64_t count,
              void *stream) {
  auto size = static_cast<uint64_t>(count);
  void *args[] = {&notes, &size};
  return launch(function, device, dtype.bits == 64 ? AddNotes64 : AddNotes32, count, args, stream);
}

int store_pointer(const kernix_function &function, int device, void *place, void *pointer, void *stream) {
  void *args[] = {&place, &pointer};
  return launch(function, device, StorePointer, 1, args, stream);
}

} // namespace kernix::cuda
