// runtime/src/cuda/batched_kernels.cpp - through the driver: these kernels belong to no CUDA runtime.
//
// Their code is PTX that the plugin has made (plugin/Batched/BatchedKernel.h says what the kernels take).

#include "cuda/batched_kernels.h"

#include "core/arena.h"
#include "core/parameter.h"
#include "core/scratch_gradients.h"
#include "cuda/driver.h"
#include "kernix/batched.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kernix::cuda {

namespace {

constexpr int64_t max_grid_z = 65535;
constexpr int64_t shared_bytes_without_opt_in = 48 * 1024;
constexpr int attribute_max_dynamic_shared_memory = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

struct Library; // CUlibrary

/// Of the driver that the process has loaded.
struct Functions {
  int (*init)(unsigned flags);
  int (*load)(Library **library, const void *code, void *jit_options, void **jit_values, unsigned num_jit_options,
              void *options, void **values, unsigned num_options);
  int (*get_kernel)(BatchedKernel **kernel, Library *library, const char *name);
  int (*set_attribute)(int attribute, int value, const BatchedKernel *kernel, int device);
  int (*current_device)(int *device);
  int (*launch)(const BatchedKernel *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **args, void **extra);
  int (*error_name)(int error, const char **name);

  bool are_complete() const { return init && load && get_kernel && set_attribute && current_device && launch; }
};

Functions find_functions() {
  Functions functions;
  const Driver driver;
  const auto find = [&](auto *&function, const char *name) {
    function = driver.find<std::remove_reference_t<decltype(function)>>(name);
  };
  find(functions.init, "cuInit");
  find(functions.load, "cuLibraryLoadData");
  find(functions.get_kernel, "cuLibraryGetKernel");
  find(functions.set_attribute, "cuKernelSetAttribute");
  find(functions.current_device, "cuCtxGetDevice");
  find(functions.launch, "cuLaunchKernel");
  find(functions.error_name, "cuGetErrorName");
  return functions;
}

std::string name_of(const Functions &driver, int error) {
  const char *name = nullptr;
  if (!driver.error_name || driver.error_name(error, &name) != 0 || !name)
    name = "unknown error";
  return std::string(name) + " (error " + std::to_string(error) + ")";
}

/// Of all modules, guarded by `mutex`. Nothing is ever unloaded: what was compiled may be called for as long as the
/// process lives.
struct Table {
  std::mutex mutex;
  Functions driver = {};
  std::unordered_map<const kernix_module_info *, std::vector<Library *>> libraries;
  std::unordered_map<const kernix_function *, const BatchedKernel *> kernels; ///< those that were asked for
  std::map<std::pair<const BatchedKernel *, int>, int64_t> shared_bytes;      ///< opted in, by device

  static Table &instance() {
    static auto *const table = new Table;
    return *table;
  }
};

int64_t num_pointers(const kernix_function &function) {
  return std::count_if(
      function.parameters, function.parameters + function.num_parameters,
      [&](const kernix_parameter &parameter) { return core::is_tensor(core::treatment(function, parameter)); });
}

/// Whether a launch is only that, and every pointer that the kernel is given begins an object.
bool is_plain_launch(const kernix_function &function) {
  constexpr uint32_t others = KERNIX_DIFF_VIEW | KERNIX_CARRIED;
  return function.kind == KERNIX_KERNEL && (function.flags & KERNIX_FOR_CUDA) &&
         !core::may_use_scratch(function) && // which has something to do when the kernel is done
         std::none_of(
             function.parameters, function.parameters + function.num_parameters,
             [](const kernix_parameter &parameter) { return (parameter.flags & others) || parameter.view_hooks; });
}

int opt_in(const Functions &driver, const BatchedKernel &kernel, int64_t bytes) {
  if (bytes <= shared_bytes_without_opt_in / 2) // static memory counts as well
    return 0;
  int device = 0;
  if (const int error = driver.current_device(&device))
    return error;
  Table &table = Table::instance();
  const std::lock_guard lock(table.mutex);
  int64_t &known = table.shared_bytes[{&kernel, device}];
  if (bytes <= known)
    return 0;
  const int error = driver.set_attribute(attribute_max_dynamic_shared_memory, static_cast<int>(bytes), &kernel, device);
  if (error == 0)
    known = bytes;
  return error;
}

} // namespace

const BatchedKernel *find_batched(const kernix_module_info &module, const kernix_function &function) {
  Table &table = Table::instance();
  const std::lock_guard lock(table.mutex);
  if (table.libraries.empty())
    return nullptr;
  const auto libraries = table.libraries.find(&module);
  if (libraries == table.libraries.end())
    return nullptr;
  const auto [known, is_new] = table.kernels.try_emplace(&function, nullptr);
  if (!is_new || !is_plain_launch(function))
    return known->second;
  const std::string name = "kernix_batched_" + std::to_string(num_pointers(function)) + "_" + function.mangled_name;
  for (Library *library : libraries->second)
    if (BatchedKernel *kernel = nullptr; table.driver.get_kernel(&kernel, library, name.c_str()) == 0)
      known->second = kernel;
  return known->second;
}

int launch_batched(const BatchedKernel &kernel, const kernix_function &function, const core::LaunchSizes &sizes,
                   void **args, int64_t count, const int64_t *strides, void *stream) {
  const Functions &driver = Table::instance().driver;
  const auto fail = [&](int error) {
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: launch of a batch failed: %s", function.signature,
                            name_of(driver, error).c_str());
  };
  if (const int error = opt_in(driver, kernel, sizes.shared_bytes))
    return fail(error);
  auto grid_z = static_cast<uint32_t>(sizes.grid[2]);
  uint32_t first = 0;
  std::vector<void *> all(args, args + function.num_parameters);
  std::vector<int64_t> of_pointers;
  of_pointers.reserve(static_cast<size_t>(function.num_parameters));
  all.push_back(&grid_z);
  all.push_back(&first);
  for (int32_t i = 0; i < function.num_parameters; ++i)
    if (core::is_tensor(core::treatment(function, function.parameters[i])))
      all.push_back(&of_pointers.emplace_back(strides[i]));
  const auto size = [](int64_t one) { return static_cast<unsigned>(one); };
  const int64_t at_once = std::max<int64_t>(max_grid_z / sizes.grid[2], 1);
  for (int64_t begin = 0; begin < count; begin += at_once) {
    first = static_cast<uint32_t>(begin);
    const int64_t elements = std::min(at_once, count - begin);
    const int error = driver.launch(&kernel, size(sizes.grid[0]), size(sizes.grid[1]), size(sizes.grid[2] * elements),
                                    size(sizes.block[0]), size(sizes.block[1]), size(sizes.block[2]),
                                    size(sizes.shared_bytes), stream, all.data(), nullptr);
    if (error)
      return fail(error);
  }
  return KERNIX_OK;
}

} // namespace kernix::cuda

using namespace kernix::cuda;

int kernix_add_batched(const kernix_module_info *module, const char *const *ptx, int32_t count) {
  Table &table = Table::instance();
  const std::lock_guard lock(table.mutex);
  if (!table.driver.are_complete())
    table.driver = find_functions();
  const Functions &driver = table.driver;
  if (!driver.are_complete())
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "kernels for batches: no CUDA driver from 12.0 on is loaded");
  int error = driver.init(0);
  std::vector<Library *> libraries;
  for (int32_t k = 0; k < count && error == 0; ++k)
    error = driver.load(&libraries.emplace_back(nullptr), ptx[k], nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (error)
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "kernels for batches cannot be loaded: %s",
                            name_of(driver, error).c_str());
  table.libraries[module] = std::move(libraries);
  table.kernels.clear();
  return KERNIX_OK;
}
