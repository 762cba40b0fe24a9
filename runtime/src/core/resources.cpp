// runtime/src/core/resources.cpp - what a kernel uses: registers, memory, occupancy.

#include "core/function_attributes.h"
#include "kernix/abi.h"

namespace {

constexpr int attribute_max_threads_per_multiprocessor = 39; // cudaDeviceAttr

int fail(const kernix_function &function, int error) {
  const char *text = function.cuda->error_string ? function.cuda->error_string(error) : "unknown error";
  if (function.cuda->get_last_error)
    function.cuda->get_last_error();
  return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: its resources are not known: %s (error %d)", function.signature,
                          text, error);
}

} // namespace

int kernix_kernel_resources(const kernix_function *function, int32_t block_size, size_t shared_bytes,
                            kernix_resources *resources) {
  if (function->kind != KERNIX_KERNEL)
    return kernix_set_error(KERNIX_ERROR_TYPE, "%s: only kernels have resources", function->signature);
  if (block_size < 1 || block_size > 1024)
    return kernix_set_error(KERNIX_ERROR_VALUE, "%s: block size: expected 1 to 1024, got %d", function->signature,
                            block_size);
  const kernix_cuda_api *cuda = function->cuda;
  if (!cuda || !cuda->function_get_attributes || !cuda->occupancy || !cuda->get_device || !cuda->get_device_attribute)
    return kernix_set_error(KERNIX_ERROR_RUNTIME, "%s: the object cannot tell its resources", function->signature);
  kernix::core::FunctionAttributes attributes = {};
  int blocks = 0, device = 0, threads = 0;
  int error = cuda->function_get_attributes(&attributes, function->stub);
  if (!error)
    error = cuda->occupancy(&blocks, function->stub, block_size, shared_bytes);
  if (!error)
    error = cuda->get_device(&device);
  if (!error)
    error = cuda->get_device_attribute(&threads, attribute_max_threads_per_multiprocessor, device);
  if (error)
    return fail(*function, error);
  const bool is_cuda = (function->flags & KERNIX_FOR_CUDA) != 0;
  *resources = {};
  resources->registers = is_cuda ? attributes.num_regs : 0;
  resources->shared_bytes = static_cast<int64_t>(attributes.shared_size_bytes);
  resources->constant_bytes = static_cast<int64_t>(attributes.const_size_bytes);
  resources->local_bytes = static_cast<int64_t>(attributes.local_size_bytes);
  resources->max_threads_per_block = attributes.max_threads_per_block;
  resources->occupancy_blocks = blocks;
  resources->occupancy = threads > 0 ? static_cast<double>(blocks) * block_size / threads : 0;
  resources->fibers = !is_cuda && attributes.cache_mode_ca == 1;
  return KERNIX_OK;
}
