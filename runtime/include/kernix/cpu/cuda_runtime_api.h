/* kernix/cpu/cuda_runtime_api.h - the CUDA runtime API of the CPU target.
 *
 * The CPU is one device, number 0. Device memory is host memory, so that every copy is a memcpy and every pointer may
 * be used on both sides. Launches, copies and fills are done when the call returns, whatever the stream; streams and
 * events exist so that host code written for a GPU runs unchanged. A launch that fails (an assertion, a deadlock)
 * reports it at once, and cudaGetErrorString then has the whole message.
 *
 * Each function has a symbol name of its own: the process may have loaded the real libcudart.
 */
#ifndef KERNIX_CPU_CUDA_RUNTIME_API_H
#define KERNIX_CPU_CUDA_RUNTIME_API_H

#include "runtime_types.h"

#define KERNIX_CPU_API(symbol) __asm__("kernix_cpu_" symbol) __attribute__((visibility("default")))
#ifdef __cplusplus
#define KERNIX_CPU_DEFAULT(value) = value
extern "C" {
#else
#define KERNIX_CPU_DEFAULT(value)
#endif

/* ---- Errors ---- */
cudaError_t cudaGetLastError(void) KERNIX_CPU_API("get_last_error");
cudaError_t cudaPeekAtLastError(void) KERNIX_CPU_API("peek_at_last_error");
const char *cudaGetErrorString(cudaError_t error) KERNIX_CPU_API("get_error_string");
const char *cudaGetErrorName(cudaError_t error) KERNIX_CPU_API("get_error_name");

/* ---- Device ---- */
cudaError_t cudaGetDeviceCount(int *count) KERNIX_CPU_API("get_device_count");
cudaError_t cudaGetDevice(int *device) KERNIX_CPU_API("get_device");
cudaError_t cudaSetDevice(int device) KERNIX_CPU_API("set_device");
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
    KERNIX_CPU_API("get_device_properties");
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
    KERNIX_CPU_API("device_get_attribute");
cudaError_t cudaDeviceSynchronize(void) KERNIX_CPU_API("device_synchronize");
cudaError_t cudaDeviceReset(void) KERNIX_CPU_API("device_reset");
cudaError_t cudaSetDeviceFlags(unsigned flags) KERNIX_CPU_API("set_device_flags");
cudaError_t cudaGetDeviceFlags(unsigned *flags) KERNIX_CPU_API("get_device_flags");
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) KERNIX_CPU_API("device_get_limit");
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) KERNIX_CPU_API("device_set_limit");
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) KERNIX_CPU_API("device_set_cache_config");
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
    KERNIX_CPU_API("device_get_stream_priority_range");
cudaError_t cudaDeviceCanAccessPeer(int *can_access, int device, int peer) KERNIX_CPU_API("device_can_access_peer");
cudaError_t cudaDriverGetVersion(int *version) KERNIX_CPU_API("driver_get_version");
cudaError_t cudaRuntimeGetVersion(int *version) KERNIX_CPU_API("runtime_get_version");

/* ---- Memory ---- */
cudaError_t cudaMalloc(void **pointer, size_t size) KERNIX_CPU_API("malloc");
cudaError_t cudaMallocHost(void **pointer, size_t size) KERNIX_CPU_API("malloc_host");
cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags KERNIX_CPU_DEFAULT(cudaMemAttachGlobal))
    KERNIX_CPU_API("malloc_managed");
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) KERNIX_CPU_API("malloc_pitch");
cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) KERNIX_CPU_API("malloc_async");
cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags) KERNIX_CPU_API("host_alloc");
cudaError_t cudaFree(void *pointer) KERNIX_CPU_API("free");
cudaError_t cudaFreeHost(void *pointer) KERNIX_CPU_API("free_host");
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) KERNIX_CPU_API("free_async");
cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags) KERNIX_CPU_API("host_register");
cudaError_t cudaHostUnregister(void *pointer) KERNIX_CPU_API("host_unregister");
cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *host_pointer, unsigned flags)
    KERNIX_CPU_API("host_get_device_pointer");
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
    KERNIX_CPU_API("pointer_get_attributes");
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) KERNIX_CPU_API("mem_get_info");
cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice, int device)
    KERNIX_CPU_API("mem_advise");
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, int device,
                                 cudaStream_t stream KERNIX_CPU_DEFAULT(0)) KERNIX_CPU_API("mem_prefetch_async");

cudaError_t cudaMemset(void *pointer, int value, size_t size) KERNIX_CPU_API("memset");
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream KERNIX_CPU_DEFAULT(0))
    KERNIX_CPU_API("memset_async");
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
    KERNIX_CPU_API("memset_2d");
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream KERNIX_CPU_DEFAULT(0)) KERNIX_CPU_API("memset_2d_async");

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) KERNIX_CPU_API("memcpy");
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream KERNIX_CPU_DEFAULT(0)) KERNIX_CPU_API("memcpy_async");
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) KERNIX_CPU_API("memcpy_2d");
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream KERNIX_CPU_DEFAULT(0))
    KERNIX_CPU_API("memcpy_2d_async");
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
    KERNIX_CPU_API("memcpy_peer");
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                cudaStream_t stream KERNIX_CPU_DEFAULT(0)) KERNIX_CPU_API("memcpy_peer_async");

/* ---- Variables of device code: `symbol` is the address of the variable ---- */
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset KERNIX_CPU_DEFAULT(0),
                               enum cudaMemcpyKind kind KERNIX_CPU_DEFAULT(cudaMemcpyHostToDevice))
    KERNIX_CPU_API("memcpy_to_symbol");
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream KERNIX_CPU_DEFAULT(0))
    KERNIX_CPU_API("memcpy_to_symbol_async");
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset KERNIX_CPU_DEFAULT(0),
                                 enum cudaMemcpyKind kind KERNIX_CPU_DEFAULT(cudaMemcpyDeviceToHost))
    KERNIX_CPU_API("memcpy_from_symbol");
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream KERNIX_CPU_DEFAULT(0))
    KERNIX_CPU_API("memcpy_from_symbol_async");
cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) KERNIX_CPU_API("get_symbol_address");
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) KERNIX_CPU_API("get_symbol_size");

/* ---- Streams and events ---- */
cudaError_t cudaStreamCreate(cudaStream_t *stream) KERNIX_CPU_API("stream_create");
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) KERNIX_CPU_API("stream_create_with_flags");
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
    KERNIX_CPU_API("stream_create_with_priority");
cudaError_t cudaStreamDestroy(cudaStream_t stream) KERNIX_CPU_API("stream_destroy");
cudaError_t cudaStreamSynchronize(cudaStream_t stream) KERNIX_CPU_API("stream_synchronize");
cudaError_t cudaStreamQuery(cudaStream_t stream) KERNIX_CPU_API("stream_query");
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags KERNIX_CPU_DEFAULT(0))
    KERNIX_CPU_API("stream_wait_event");
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) KERNIX_CPU_API("stream_get_flags");
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) KERNIX_CPU_API("stream_get_priority");
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user_data, unsigned flags)
    KERNIX_CPU_API("stream_add_callback");
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data)
    KERNIX_CPU_API("launch_host_func");
cudaError_t cudaEventCreate(cudaEvent_t *event) KERNIX_CPU_API("event_create");
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) KERNIX_CPU_API("event_create_with_flags");
cudaError_t cudaEventDestroy(cudaEvent_t event) KERNIX_CPU_API("event_destroy");
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream KERNIX_CPU_DEFAULT(0))
    KERNIX_CPU_API("event_record");
cudaError_t cudaEventSynchronize(cudaEvent_t event) KERNIX_CPU_API("event_synchronize");
cudaError_t cudaEventQuery(cudaEvent_t event) KERNIX_CPU_API("event_query");
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
    KERNIX_CPU_API("event_elapsed_time");

/* ---- Kernels: `function` is the kernel's address in host code ---- */
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                             size_t shared_bytes KERNIX_CPU_DEFAULT(0), cudaStream_t stream KERNIX_CPU_DEFAULT(0))
    KERNIX_CPU_API("launch_kernel");
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
    KERNIX_CPU_API("func_set_attribute");
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
    KERNIX_CPU_API("func_get_attributes");
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
    KERNIX_CPU_API("func_set_cache_config");
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
    KERNIX_CPU_API("func_set_shared_mem_config");
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                          size_t dynamic_shared_bytes)
    KERNIX_CPU_API("occupancy_max_active_blocks_per_multiprocessor");
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int block_size,
                                                                   size_t dynamic_shared_bytes, unsigned flags)
    KERNIX_CPU_API("occupancy_max_active_blocks_per_multiprocessor_with_flags");

/* What `<<<...>>>` calls. The device pass asks for another name, which it never calls. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes KERNIX_CPU_DEFAULT(0),
                                     cudaStream_t stream KERNIX_CPU_DEFAULT(0))
    KERNIX_CPU_API("push_call_configuration");
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
    KERNIX_CPU_API("pop_call_configuration");
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes KERNIX_CPU_DEFAULT(0),
                              cudaStream_t stream KERNIX_CPU_DEFAULT(0)) KERNIX_CPU_API("configure_call");

#ifdef __cplusplus
} /* extern "C" */

/* ---- The same with typed pointers, kernels and variables ---- */
template <class T> inline cudaError_t cudaMalloc(T **pointer, size_t size) {
  return cudaMalloc(reinterpret_cast<void **>(pointer), size);
}
template <class T> inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned flags = 0) {
  return cudaHostAlloc(reinterpret_cast<void **>(pointer), size, flags);
}
template <class T>
inline cudaError_t cudaMallocManaged(T **pointer, size_t size, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void **>(pointer), size, flags);
}
template <class T> inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch(reinterpret_cast<void **>(pointer), pitch, width, height);
}
template <class T> inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void **>(pointer), size, stream);
}
template <class T> inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void **>(pointer), size, flags);
}
template <class T> inline cudaError_t cudaHostGetDevicePointer(T **device_pointer, void *host_pointer, unsigned flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void **>(device_pointer), host_pointer, flags);
}

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t size, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(static_cast<const void *>(&symbol), from, size, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t size, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync(static_cast<const void *>(&symbol), from, size, offset, kind, stream);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t size, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, static_cast<const void *>(&symbol), size, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t size, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(to, static_cast<const void *>(&symbol), size, offset, kind, stream);
}
template <class T> inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
  return cudaGetSymbolAddress(pointer, static_cast<const void *>(&symbol));
}
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
  return cudaGetSymbolSize(size, static_cast<const void *>(&symbol));
}

inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}

inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = 0, unsigned = 0) {
  return cudaEventRecord(event, stream);
}

/* No stream is ever captured. */
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};
inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

template <class R, class... A>
inline cudaError_t cudaLaunchKernel(R (*function)(A...), dim3 grid, dim3 block, void **args, size_t shared_bytes = 0,
                                    cudaStream_t stream = 0) {
  return cudaLaunchKernel(reinterpret_cast<const void *>(function), grid, block, args, shared_bytes, stream);
}
template <class R, class... A>
inline cudaError_t cudaFuncSetAttribute(R (*function)(A...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void *>(function), attribute, value);
}
template <class R, class... A>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, R (*function)(A...)) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(function));
}
template <class R, class... A> inline cudaError_t cudaFuncSetCacheConfig(R (*function)(A...), cudaFuncCache config) {
  return cudaFuncSetCacheConfig(reinterpret_cast<const void *>(function), config);
}
template <class R, class... A>
inline cudaError_t cudaFuncSetSharedMemConfig(R (*function)(A...), cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(reinterpret_cast<const void *>(function), config);
}
template <class R, class... A>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, R (*function)(A...), int block_size,
                                                                 size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void *>(function), block_size,
                                                       dynamic_shared_bytes);
}

/* The largest block that fits, and blocks for every multiprocessor; on the CPU nothing is gained by other sizes. */
template <class Kernel, class BytesOfBlockSize>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid_size, int *block_size, Kernel kernel,
                                                                  BytesOfBlockSize bytes_of_block_size,
                                                                  int block_size_limit = 0) {
  int multiprocessors = 0;
  cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  int largest = block_size_limit > 0 && block_size_limit < 1024 ? block_size_limit : 1024;
  for (int size = largest; error == cudaSuccess && size > 0; size -= size > 32 ? 32 : 1) {
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, bytes_of_block_size(size));
    if (error == cudaSuccess && blocks > 0) {
      *block_size = size;
      *min_grid_size = blocks * multiprocessors;
      return cudaSuccess;
    }
  }
  return error == cudaSuccess ? cudaErrorInvalidConfiguration : error;
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size, Kernel kernel,
                                                      size_t dynamic_shared_bytes = 0, int block_size_limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      min_grid_size, block_size, kernel, [=](int) { return dynamic_shared_bytes; }, block_size_limit);
}
#endif

#undef KERNIX_CPU_API
#undef KERNIX_CPU_DEFAULT

#endif /* KERNIX_CPU_CUDA_RUNTIME_API_H */
