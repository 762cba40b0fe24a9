// cpu/device.cpp - the CPU as device 0: properties, limits, kernel attributes, occupancy.
//
// A multiprocessor is one thread of the pool. The limits are a GPU's, so that a program which runs here is not refused
// there.
#include "cpu/error.h"
#include "cpu/launch.h"
#include "cpu/pool.h"
#include "cpu/registry.h"
#include "cpu/stacks.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace kernix::cpu;

namespace {

constexpr int version = 13000;
constexpr int compute_major = 7, compute_minor = 5;
constexpr int blocks_per_multiprocessor = 32;
constexpr int nominal_clock_khz = 1000000;
constexpr int nominal_registers = 65536;

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : report(cudaErrorInvalidDevice); }

size_t memory_size() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE)) * static_cast<size_t>(sysconf(_SC_PHYS_PAGES));
}

int cache_size() { return static_cast<int>(std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE))); }

const kernix_cpu_kernel *kernel_of(const void *function) {
  const KernelRecord *record = find_kernel(function);
  return record ? record->entry->kernel : nullptr;
}

} // namespace

cudaError_t cudaGetDeviceCount(int *count) {
  if (!count)
    return report(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
  if (!device)
    return report(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return check_device(device); }
cudaError_t cudaDeviceSynchronize() { return wait_result(); }
cudaError_t cudaDeviceReset() {
  cudaGetLastError();
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  if (!flags)
    return report(cudaErrorInvalidValue);
  *flags = cudaDeviceScheduleAuto;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = 0;
  if (greatest)
    *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can_access, int device, int peer) {
  if (!can_access)
    return report(cudaErrorInvalidValue);
  *can_access = 0;
  return device == 0 && peer == 0 ? cudaSuccess : report(cudaErrorInvalidDevice);
}
cudaError_t cudaDriverGetVersion(int *result) {
  if (!result)
    return report(cudaErrorInvalidValue);
  *result = version;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *result) { return cudaDriverGetVersion(result); }

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  if (!value)
    return report(cudaErrorInvalidValue);
  if (limit == cudaLimitStackSize)
    *value = stack_limit();
  else if (limit == cudaLimitPrintfFifoSize || limit == cudaLimitMallocHeapSize)
    *value = memory_size();
  else
    return report(cudaErrorUnsupportedLimit);
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit == cudaLimitStackSize)
    set_stack_limit(value);
  else if (limit != cudaLimitPrintfFifoSize && limit != cudaLimitMallocHeapSize)
    return report(cudaErrorUnsupportedLimit);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  if (!value)
    return report(cudaErrorInvalidValue);
  if (device != 0)
    return report(cudaErrorInvalidDevice);
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = max_threads_per_block;
    break;
  case cudaDevAttrMaxBlockDimX:
  case cudaDevAttrMaxBlockDimY:
  case cudaDevAttrMaxBlockDimZ:
    *value = static_cast<int>(max_block_dim[attribute - cudaDevAttrMaxBlockDimX]);
    break;
  case cudaDevAttrMaxGridDimX:
  case cudaDevAttrMaxGridDimY:
  case cudaDevAttrMaxGridDimZ:
    *value = static_cast<int>(max_grid_dim[attribute - cudaDevAttrMaxGridDimX]);
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *value = shared_bytes_per_block;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = shared_bytes_per_block_opt_in;
    break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *value = shared_bytes_per_multiprocessor;
    break;
  case cudaDevAttrReservedSharedMemoryPerBlock:
    *value = shared_bytes_per_multiprocessor - shared_bytes_per_block_opt_in;
    break;
  case cudaDevAttrTotalConstantMemory:
    *value = 65536;
    break;
  case cudaDevAttrWarpSize:
    *value = warp_size;
    break;
  case cudaDevAttrMaxPitch:
    *value = 0x7fffffff;
    break;
  case cudaDevAttrMaxRegistersPerBlock:
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    *value = nominal_registers;
    break;
  case cudaDevAttrClockRate:
  case cudaDevAttrMemoryClockRate:
    *value = nominal_clock_khz;
    break;
  case cudaDevAttrTextureAlignment:
    *value = 512;
    break;
  case cudaDevAttrMultiProcessorCount:
    *value = static_cast<int>(num_threads());
    break;
  case cudaDevAttrGlobalMemoryBusWidth:
    *value = 64;
    break;
  case cudaDevAttrL2CacheSize:
    *value = cache_size();
    break;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *value = threads_per_multiprocessor;
    break;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    *value = blocks_per_multiprocessor;
    break;
  case cudaDevAttrComputeCapabilityMajor:
    *value = compute_major;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *value = compute_minor;
    break;
  case cudaDevAttrIntegrated:
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrConcurrentKernels:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrPageableMemoryAccess:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrHostRegisterSupported:
  case cudaDevAttrMemoryPoolsSupported:
    *value = 1;
    break;
  case cudaDevAttrKernelExecTimeout:
  case cudaDevAttrComputeMode:
  case cudaDevAttrEccEnabled:
  case cudaDevAttrAsyncEngineCount:
  case cudaDevAttrStreamPrioritiesSupported:
  case cudaDevAttrCooperativeLaunch:
    *value = 0;
    break;
  default:
    return report(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  if (!properties)
    return report(cudaErrorInvalidValue);
  if (device != 0)
    return report(cudaErrorInvalidDevice);
  *properties = {};
  cudaDeviceProp &p = *properties;
  std::snprintf(p.name, sizeof p.name, "kernix CPU target (%u threads)", num_threads());
  p.totalGlobalMem = memory_size();
  p.sharedMemPerBlock = shared_bytes_per_block;
  p.sharedMemPerBlockOptin = shared_bytes_per_block_opt_in;
  p.sharedMemPerMultiprocessor = shared_bytes_per_multiprocessor;
  p.reservedSharedMemPerBlock = shared_bytes_per_multiprocessor - shared_bytes_per_block_opt_in;
  p.regsPerBlock = p.regsPerMultiprocessor = nominal_registers;
  p.warpSize = warp_size;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = max_threads_per_block;
  for (int axis = 0; axis != 3; ++axis) {
    p.maxThreadsDim[axis] = static_cast<int>(max_block_dim[axis]);
    p.maxGridSize[axis] = static_cast<int>(max_grid_dim[axis]);
  }
  p.totalConstMem = 65536;
  p.major = compute_major;
  p.minor = compute_minor;
  p.textureAlignment = 512;
  p.multiProcessorCount = static_cast<int>(num_threads());
  p.integrated = p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = 1;
  p.managedMemory = p.pageableMemoryAccess = p.concurrentManagedAccess = 1;
  p.memoryBusWidth = 64;
  p.l2CacheSize = cache_size();
  p.maxThreadsPerMultiProcessor = threads_per_multiprocessor;
  p.maxBlocksPerMultiProcessor = blocks_per_multiprocessor;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  KernelRecord *record = find_kernel(function);
  if (!record || !record->entry->kernel)
    return report(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
    return value >= -1 && value <= 100 ? cudaSuccess : report(cudaErrorInvalidValue);
  int largest = static_cast<int>(shared_bytes_per_block_opt_in - record->entry->kernel->static_shared_bytes);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || value > largest)
    return report(cudaErrorInvalidValue);
  record->max_dynamic_shared.store(value, std::memory_order_relaxed);
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function) {
  if (!attributes)
    return report(cudaErrorInvalidValue);
  const KernelRecord *record = find_kernel(function);
  if (!record || !record->entry->kernel)
    return report(cudaErrorInvalidDeviceFunction);
  int opted_in = record->max_dynamic_shared.load(std::memory_order_relaxed);
  unsigned fixed = record->entry->kernel->static_shared_bytes;
  *attributes = {};
  attributes->sharedSizeBytes = fixed;
  attributes->maxThreadsPerBlock = max_threads_per_block;
  attributes->binaryVersion = attributes->ptxVersion = compute_major * 10 + compute_minor;
  attributes->maxDynamicSharedSizeBytes =
      opted_in < 0 ? std::max(0, static_cast<int>(shared_bytes_per_block) - static_cast<int>(fixed)) : opted_in;
  attributes->preferredShmemCarveout = -1;
  // A GPU's cache mode says nothing here; kernix_kernel_resources reads this field.
  attributes->cacheModeCA = record->entry->kernel->run_thread != nullptr;
  return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *function, cudaFuncCache) {
  return kernel_of(function) ? cudaSuccess : report(cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaFuncSetSharedMemConfig(const void *function, cudaSharedMemConfig) {
  return kernel_of(function) ? cudaSuccess : report(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                          size_t dynamic_shared_bytes) {
  const kernix_cpu_kernel *kernel = kernel_of(function);
  if (!kernel)
    return report(cudaErrorInvalidDeviceFunction);
  if (!blocks || block_size <= 0)
    return report(cudaErrorInvalidValue);
  size_t shared = kernel->static_shared_bytes + dynamic_shared_bytes;
  *blocks = 0;
  if (block_size > static_cast<int>(max_threads_per_block) || shared > shared_bytes_per_block_opt_in)
    return cudaSuccess;
  size_t warps = (static_cast<size_t>(block_size) + warp_size - 1) / warp_size;
  size_t fit = std::min<size_t>(blocks_per_multiprocessor, threads_per_multiprocessor / warp_size / warps);
  if (shared != 0)
    fit = std::min(fit, shared_bytes_per_multiprocessor / shared);
  *blocks = static_cast<int>(fit);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int block_size,
                                                                   size_t dynamic_shared_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_shared_bytes);
}
