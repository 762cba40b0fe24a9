// runtime/src/core/launch.cpp - launch sizes of a kernel, and the launch itself.
//
// Goes through the CUDA entry points of the user's object (kernix_function.cuda), never through a CUDA runtime of our
// own. Does not synchronise, except for KERNIX_SYNC=1.

#include "core/launch.h"

#include "core/function_attributes.h"
#include "cuda/streams.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace kernix::core {

namespace {

// The same for every device that kernix supports (sm_75 and newer), and for the CPU target.
constexpr int64_t max_block[3] = {1024, 1024, 64};
constexpr int64_t max_threads = 1024;
constexpr int64_t max_grid[3] = {2147483647, 65535, 65535};
constexpr int64_t default_block = 256;
constexpr int64_t shared_bytes_without_opt_in = 48 * 1024;

// cudaDeviceAttr and cudaFuncAttribute; the numbers are part of CUDA's ABI.
constexpr int attribute_max_shared_memory_opt_in = 97;
constexpr int attribute_max_dynamic_shared_memory = 8;

std::string axis_name(const char *what, int axis) { return std::string(what) + "." + "xyz"[axis]; }

/// One axis, or shared_bytes: "block.x: expected 1 to 1024, got 2048 from `n * 2` (n = 1024)".
int fail_size(Frame &frame, const std::string &name, int64_t lowest, int64_t highest, int64_t got,
              const kernix_expression *source) {
  std::string message =
      name + ": expected " + std::to_string(lowest) + " to " + std::to_string(highest) + ", got " + std::to_string(got);
  if (source)
    message += " from " + expression_text(*source, frame);
  return frame.fail(KERNIX_ERROR_VALUE, message);
}

bool is_given(const kernix_expression expressions[3]) {
  return expressions[0].code || expressions[1].code || expressions[2].code;
}

int evaluate_axes(Frame &frame, const kernix_expression expressions[3], const char *what, int64_t sizes[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    sizes[axis] = 1;
    if (!expressions[axis].code)
      continue;
    if (int status = evaluate(expressions[axis], frame, {what}, &sizes[axis]); status != KERNIX_OK)
      return status;
  }
  return KERNIX_OK;
}

bool has(const Frame &frame, kernix_function_flags flag) { return (frame.function().flags & flag) != 0; }

/// What a call names a size with: a parameter of that name hides the short keyword.
std::string keyword(const Frame &frame, const char *size) {
  for (int32_t i = 0; i < frame.function().num_parameters; ++i)
    if (std::strcmp(frame.parameter(i).name, size) == 0)
      return std::strcmp(size, "grid") == 0 ? "launchGridSize" : "launchBlockSize";
  return size;
}

int resolve_block(Frame &frame, int64_t block[3]) {
  const kernix_call_options *options = frame.options();
  const kernix_launch *declared = frame.function().launch;
  const kernix_expression *source = nullptr;
  if (options && options->has_block) {
    std::memcpy(block, options->block, sizeof options->block);
  } else if (declared && is_given(declared->block)) {
    source = declared->block;
    if (int status = evaluate_axes(frame, source, "block", block); status != KERNIX_OK)
      return status;
  } else if (has(frame, KERNIX_USES_ONLY_X)) {
    block[0] = has(frame, KERNIX_SINGLE_THREAD) ? 1 : default_block;
    block[1] = block[2] = 1;
  } else {
    return frame.fail(
        KERNIX_ERROR_TYPE,
        "no block size: the kernel uses more than threadIdx.x and its kind, or may do so in code under #if "
        "__CUDA_ARCH__ or in a call (through a pointer, of a virtual function or one that is defined elsewhere, of "
        "kernix::bwd_diff), so give `" +
            keyword(frame, "block") + "=` (and `" + keyword(frame, "grid") +
            "=`) in the call, or annotate it with [[kernix::block(...)]]");
  }
  for (int axis = 0; axis < 3; ++axis)
    if (block[axis] < 1 || block[axis] > max_block[axis])
      return fail_size(frame, axis_name("block", axis), 1, max_block[axis], block[axis],
                       source && source[axis].code ? &source[axis] : nullptr);
  const int64_t threads = block[0] * block[1] * block[2];
  if (threads > max_threads)
    return frame.fail(KERNIX_ERROR_VALUE, "block: expected at most " + std::to_string(max_threads) + " threads, got " +
                                              std::to_string(block[0]) + " x " + std::to_string(block[1]) + " x " +
                                              std::to_string(block[2]) + " = " + std::to_string(threads));
  return KERNIX_OK;
}

std::string quoted_name(const Frame &frame, int32_t index) {
  return std::string("'") + frame.parameter(index).name + "'";
}

int fail_grid(const Frame &frame, const std::string &why) {
  return frame.fail(KERNIX_ERROR_TYPE, "no grid size: " + why + ", so give `" + keyword(frame, "grid") +
                                           "=` in the call, or annotate it with [[kernix::grid(...)]]");
}

/// The sizes of the output that a launch is sized after. A derivative is not told whether f had one that is optional.
int resolve_output(Frame &frame, int32_t output) {
  if (output < 0)
    return KERNIX_OK;
  if (int status = frame.resolve_shape(output); status != KERNIX_OK)
    return status;
  const bool is_absent = std::as_const(frame).sizes_of(output).state == Argument::State::Null;
  const bool is_unknown = is_absent && frame.function().derivative != KERNIX_NO_DERIVATIVE;
  return is_unknown && !is_written(frame.parameter(output)) ? frame.fail_unknown_sizes(output) : int{KERNIX_OK};
}

bool is_left_out(const Frame &frame, int32_t output) {
  return output >= 0 && frame.sizes_of(output).state == Argument::State::Null;
}

/// One thread per element of the first output, for kernels that are written for that.
int default_grid(Frame &frame, const int64_t block[3], int64_t grid[3]) {
  const int32_t output = frame.first_output();
  if (has(frame, KERNIX_SINGLE_THREAD)) {
    if (int status = resolve_output(frame, output); status != KERNIX_OK)
      return status;
    const bool is_empty =
        is_left_out(frame, output) ? frame.all_outputs_are_empty() : output >= 0 && !frame.numel(output);
    grid[0] = !is_empty;
    grid[1] = grid[2] = 1;
    return KERNIX_OK;
  }
  if (output < 0)
    return fail_grid(frame, "the kernel has no output to take it from");
  if (!has(frame, KERNIX_USES_ONLY_X) || block[1] != 1 || block[2] != 1)
    return fail_grid(frame, "there is a default only for kernels and blocks that use nothing but x");
  if (has(frame, KERNIX_SHARED_OUTPUT))
    return fail_grid(frame, "several threads may write one element of " + quoted_name(frame, output) +
                                ", whose size therefore does not say how many threads there are");
  if (int status = resolve_output(frame, output); status != KERNIX_OK)
    return status;
  grid[1] = grid[2] = 1;
  if (is_left_out(frame, output)) {
    grid[0] = 0;
    // Whether threads share elements of another one is not known.
    return frame.all_outputs_are_empty() ? int{KERNIX_OK}
                                         : fail_grid(frame, "it is taken from the first output, " +
                                                                quoted_name(frame, output) + ", which is left out");
  }
  grid[0] = (frame.numel(output) + block[0] - 1) / block[0];
  if (has(frame, KERNIX_IGNORES_BLOCKS) && grid[0] > 1)
    return fail_grid(frame, "the kernel does not look at blockIdx, and the " + std::to_string(frame.numel(output)) +
                                " elements of " + quoted_name(frame, output) + " are more than the " +
                                std::to_string(block[0]) + " threads of a block");
  return KERNIX_OK;
}

int resolve_grid(Frame &frame, LaunchSizes *sizes) {
  const kernix_call_options *options = frame.options();
  const kernix_launch *declared = frame.function().launch;
  const kernix_expression *source = nullptr;
  int64_t *grid = sizes->grid;
  int64_t lowest = 0;
  if (options && options->has_grid) {
    std::memcpy(grid, options->grid, sizeof options->grid);
    lowest = 1;
  } else if (declared && is_given(declared->grid)) {
    source = declared->grid;
    if (int status = evaluate_axes(frame, source, "grid", grid); status != KERNIX_OK)
      return status;
  } else if (int status = default_grid(frame, sizes->block, grid); status != KERNIX_OK) {
    return status;
  }
  for (int axis = 0; axis < 3; ++axis)
    if (grid[axis] < lowest || grid[axis] > max_grid[axis])
      return fail_size(frame, axis_name("grid", axis), lowest, max_grid[axis], grid[axis],
                       source && source[axis].code ? &source[axis] : nullptr);
  sizes->is_empty = grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
  // No block at all is what empty inputs ask for, but a fresh output must not be handed out with what memory held.
  if (sizes->is_empty && frame.has_uninitialised_output())
    return frame.fail(KERNIX_ERROR_VALUE, "the grid is empty, but an output is not: nothing would write it");
  return KERNIX_OK;
}

int resolve_shared_bytes(Frame &frame, int64_t *bytes) {
  const kernix_call_options *options = frame.options();
  const kernix_launch *declared = frame.function().launch;
  const kernix_expression *source = nullptr;
  if (options && options->has_shared_bytes) {
    *bytes = options->shared_bytes;
  } else if (declared && declared->shared_bytes.code) {
    source = &declared->shared_bytes;
    if (int status = evaluate(*source, frame, {"shared_bytes"}, bytes); status != KERNIX_OK)
      return status;
  }
  constexpr int64_t highest = 2147483647; // the device's own limit is asked where more than 48 KB are
  if (*bytes < 0 || *bytes > highest)
    return fail_size(frame, "shared_bytes", 0, highest, *bytes, source);
  return KERNIX_OK;
}

/// What is known of a kernel's shared memory on one device.
struct SharedMemory {
  int64_t static_bytes = -1; ///< not asked yet
  int64_t granted = 0;       ///< dynamic bytes that a launch may have
};

/// Per (stub, device), guarded by `mutex`. cudaFuncSetAttribute sets rather than raises a limit, so calls of different
/// sizes must not lower it under each other.
struct SharedMemoryTable {
  struct Key {
    const void *stub;
    int device;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      return std::hash<const void *>()(key.stub) ^ (static_cast<size_t>(key.device) << 56);
    }
  };
  std::mutex mutex;
  std::unordered_map<Key, SharedMemory, Hash> kernels;

  static SharedMemoryTable &instance() {
    static auto *const table = new SharedMemoryTable; // outlives threads that still launch at exit
    return *table;
  }
};

std::string error_text(const kernix_cuda_api &cuda, int error) {
  const char *text = cuda.error_string ? cuda.error_string(error) : nullptr;
  return (text ? std::string(text) : std::string("unknown error")) + " (error " + std::to_string(error) + ")";
}

/// Hint: what is said behind the driver's text.
int fail_cuda(const kernix_function &function, const char *what, int error, const std::string &hint = "") {
  const kernix_cuda_api &cuda = *function.cuda;
  const std::string text = error_text(cuda, error) + hint;
  if (cuda.get_last_error)
    cuda.get_last_error(); // reported here: later calls must not meet it again
  return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: %s: %s", function.signature, what, text.c_str());
}

/// A block may be larger than the registers of its threads allow.
int fail_launch(const kernix_function &function, const LaunchSizes &sizes, int error) {
  constexpr int out_of_resources = 701;
  FunctionAttributes attributes = {};
  const kernix_cuda_api &cuda = *function.cuda;
  const int64_t threads = sizes.block[0] * sizes.block[1] * sizes.block[2];
  if (error != out_of_resources || !cuda.function_get_attributes ||
      cuda.function_get_attributes(&attributes, function.stub) != 0 || threads <= attributes.max_threads_per_block)
    return fail_cuda(function, "launch failed", error);
  return fail_cuda(function, "launch failed", error,
                   ": with " + std::to_string(attributes.num_regs) + " registers a thread, a block has at most " +
                       std::to_string(attributes.max_threads_per_block) + " threads, got " + std::to_string(threads) +
                       "; give a smaller block, or say in the source how large it is: [[kernix::block(...)]]");
}

} // namespace

int resolve_launch(Frame &frame, LaunchSizes *sizes) {
  if (int status = resolve_block(frame, sizes->block); status != KERNIX_OK)
    return status;
  frame.set_block(sizes->block);
  if (frame.all_outputs_are_empty()) {
    sizes->is_empty = true;
    return KERNIX_OK;
  }
  if (int status = resolve_grid(frame, sizes); status != KERNIX_OK)
    return status;
  return resolve_shared_bytes(frame, &sizes->shared_bytes);
}

int prepare_shared_memory(const Frame &frame, const LaunchSizes &sizes) {
  const kernix_function &function = frame.function();
  if (sizes.shared_bytes == 0 || sizes.is_empty || !function.cuda || !function.cuda->function_set_attribute)
    return KERNIX_OK;
  const kernix_cuda_api &cuda = *function.cuda;
  const int device = frame.device_id() < 0 ? 0 : frame.device_id();
  SharedMemoryTable &table = SharedMemoryTable::instance();
  std::lock_guard lock(table.mutex);
  SharedMemory &kernel = table.kernels[{function.stub, device}];
  if (sizes.shared_bytes <= kernel.granted)
    return KERNIX_OK;
  if (kernel.static_bytes < 0) {
    FunctionAttributes attributes = {};
    if (cuda.function_get_attributes)
      if (int error = cuda.function_get_attributes(&attributes, function.stub); error != 0)
        return fail_cuda(function, "the kernel's shared memory is not known", error);
    kernel.static_bytes = static_cast<int64_t>(attributes.shared_size_bytes);
    kernel.granted = shared_bytes_without_opt_in - kernel.static_bytes;
    if (sizes.shared_bytes <= kernel.granted)
      return KERNIX_OK;
  }
  int limit = 0;
  if (cuda.get_device_attribute) {
    if (int error = cuda.get_device_attribute(&limit, attribute_max_shared_memory_opt_in, device); error != 0)
      return fail_cuda(function, "the device's shared memory is not known", error);
    if (const int64_t highest = limit - kernel.static_bytes; sizes.shared_bytes > highest)
      return frame.fail(KERNIX_ERROR_VALUE, "shared_bytes: expected at most " + std::to_string(highest) +
                                                " on this device, beside " + std::to_string(kernel.static_bytes) +
                                                " static bytes, got " + std::to_string(sizes.shared_bytes));
  }
  const int error = cuda.function_set_attribute(function.stub, attribute_max_dynamic_shared_memory,
                                                static_cast<int>(sizes.shared_bytes));
  if (error != 0)
    return fail_cuda(function, "shared_bytes", error);
  kernel.granted = sizes.shared_bytes;
  return KERNIX_OK;
}

int launch(const kernix_function &function, const LaunchSizes &sizes, void **args, void *stream) {
  if (!function.cuda || !function.cuda->launch_kernel)
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: the object has no launch function", function.signature);
  const auto dim3 = [](const int64_t size[3]) {
    return kernix_dim3{static_cast<uint32_t>(size[0]), static_cast<uint32_t>(size[1]), static_cast<uint32_t>(size[2])};
  };
  const int error = function.cuda->launch_kernel(function.stub, dim3(sizes.grid), dim3(sizes.block), args,
                                                 static_cast<size_t>(sizes.shared_bytes), stream);
  return error == 0 ? KERNIX_OK : fail_launch(function, sizes, error);
}

int report_last_error(const kernix_function &function, int before, int error) {
  constexpr int not_ready = 600; // what a query of an unfinished event or stream leaves behind: no error
  constexpr int insufficient_driver = 35, no_device = 100;
  // Without a GPU every question is answered like this, also where the function did nothing with CUDA.
  const bool is_without_gpu = error == before && (error == insufficient_driver || error == no_device);
  return error == not_ready || is_without_gpu ? KERNIX_OK : fail_cuda(function, "a CUDA call in it failed", error);
}

bool is_synchronous() {
  const char *text = std::getenv("KERNIX_SYNC");
  return text && *text && std::strcmp(text, "0") != 0;
}

int synchronise(const kernix_function &function, void *stream) {
  const kernix_cuda_api *api = function.cuda;
  const bool is_cuda = (function.flags & KERNIX_FOR_CUDA) != 0;
  if (!api || !api->stream_synchronize || (is_cuda && cuda::is_capturing(stream)))
    return KERNIX_OK;
  const int error = api->stream_synchronize(stream);
  return error == 0 ? KERNIX_OK : fail_cuda(function, "failed while it ran (KERNIX_SYNC=1)", error);
}

int DeviceGuard::enter(Frame &frame) {
  const kernix_cuda_api *cuda = frame.function().cuda;
  if (!frame.is_cuda() || !cuda || !cuda->get_device)
    return KERNIX_OK;
  // A host function without tensors may have nothing to do with a GPU, and then runs where there is none.
  if (frame.device_id() < 0 && frame.function().kind != KERNIX_KERNEL && frame.first_output() < 0)
    return KERNIX_OK;
  int32_t device = frame.device_id();
  if (int status = enter(frame.function(), &device); status != KERNIX_OK)
    return status;
  frame.set_device_id(device);
  return KERNIX_OK;
}

int DeviceGuard::enter(const kernix_function &function, int32_t *device) {
  int current = 0;
  if (function.cuda && function.cuda->get_device)
    if (int error = function.cuda->get_device(&current); error != 0)
      return fail_cuda(function, "no CUDA device", error);
  *device = *device < 0 ? current : *device;
  return function.cuda ? select(function, *device, current) : KERNIX_OK;
}

int DeviceGuard::select(const kernix_function &function, int32_t device, int current) {
  const kernix_cuda_api *cuda = function.cuda;
  if (device == current || !cuda->set_device)
    return KERNIX_OK;
  if (int error = cuda->set_device(device); error != 0)
    return fail_cuda(function, ("cannot select cuda:" + std::to_string(device)).c_str(), error);
  if (!cuda_)
    previous_ = current;
  cuda_ = cuda;
  return KERNIX_OK;
}

int DeviceGuard::stay(const Frame &frame) {
  const kernix_cuda_api *cuda = frame.function().cuda;
  if (!frame.is_cuda() || !cuda || !cuda->get_device || frame.device_id() < 0)
    return KERNIX_OK;
  int32_t device = frame.device_id();
  return enter(frame.function(), &device);
}

DeviceGuard::~DeviceGuard() {
  if (cuda_)
    cuda_->set_device(previous_);
}

} // namespace kernix::core
