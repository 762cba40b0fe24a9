// cpu/memory.cpp - memory of the CPU target: the host's, with CUDA's alignment.
#include "cpu/error.h"
#include "cpu/registry.h"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace kernix::cpu;

namespace {

constexpr size_t allocation_alignment = 256;
constexpr size_t pitch_alignment = 512;

cudaError_t allocate(void **pointer, size_t size) {
  if (!pointer)
    return report(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (size == 0)
    return cudaSuccess;
  if (size > SIZE_MAX - allocation_alignment)
    return report(cudaErrorMemoryAllocation);
  // Large buffers come from mmap and are touched first where they are used.
  *pointer = std::aligned_alloc(allocation_alignment,
                                (size + allocation_alignment - 1) / allocation_alignment * allocation_alignment);
  return *pointer ? cudaSuccess : report(cudaErrorMemoryAllocation);
}

bool is_kind(cudaMemcpyKind kind) { return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault; }

cudaError_t copy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  if (!is_kind(kind))
    return report(cudaErrorInvalidMemcpyDirection);
  if (size != 0 && (!to || !from))
    return report(cudaErrorInvalidValue);
  if (size != 0)
    std::memmove(to, from, size);
  return wait_result();
}

cudaError_t fill(void *pointer, int value, size_t size) {
  if (size != 0 && !pointer)
    return report(cudaErrorInvalidValue);
  if (size != 0)
    std::memset(pointer, value, size);
  return cudaSuccess;
}

/// The part [offset, offset + size) of a device variable; nullptr and an error if there is none.
char *part_of_symbol(const void *symbol, size_t size, size_t offset, bool write, cudaError_t &error) {
  const kernix_cpu_variable *variable = find_variable(symbol);
  if (!variable || (write && !variable->writable)) {
    error = cudaErrorInvalidSymbol;
    return nullptr;
  }
  if (offset > variable->size || size > variable->size - offset) {
    error = cudaErrorInvalidValue;
    return nullptr;
  }
  return static_cast<char *>(variable->address) + offset;
}

} // namespace

cudaError_t cudaMalloc(void **pointer, size_t size) { return allocate(pointer, size); }
cudaError_t cudaMallocHost(void **pointer, size_t size) { return allocate(pointer, size); }
cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned) { return allocate(pointer, size); }
cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t) { return allocate(pointer, size); }
cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned) { return allocate(pointer, size); }

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  if (!pitch || width > SIZE_MAX - pitch_alignment)
    return report(cudaErrorInvalidValue);
  *pitch = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
  size_t size = 0;
  if (__builtin_mul_overflow(*pitch, height, &size))
    return report(cudaErrorMemoryAllocation);
  return allocate(pointer, size);
}

cudaError_t cudaFree(void *pointer) {
  std::free(pointer);
  return wait_result();
}
cudaError_t cudaFreeHost(void *pointer) { return cudaFree(pointer); }
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t) {
  std::free(pointer);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t, unsigned) {
  return pointer ? cudaSuccess : report(cudaErrorInvalidValue);
}
cudaError_t cudaHostUnregister(void *pointer) { return pointer ? cudaSuccess : report(cudaErrorInvalidValue); }
cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *host_pointer, unsigned) {
  if (!device_pointer || !host_pointer)
    return report(cudaErrorInvalidValue);
  *device_pointer = host_pointer;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  if (!attributes)
    return report(cudaErrorInvalidValue);
  void *address = const_cast<void *>(pointer);
  *attributes = {pointer ? cudaMemoryTypeManaged : cudaMemoryTypeUnregistered, 0, address, address};
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  if (!free_bytes || !total_bytes)
    return report(cudaErrorInvalidValue);
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  *free_bytes = page * static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES));
  *total_bytes = page * static_cast<size_t>(sysconf(_SC_PHYS_PAGES));
  return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaMemset(void *pointer, int value, size_t size) { return fill(pointer, value, size); }
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t) { return fill(pointer, value, size); }
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  if (width > pitch)
    return report(cudaErrorInvalidPitchValue);
  if (!pointer && width != 0 && height != 0)
    return report(cudaErrorInvalidValue);
  for (size_t row = 0; row != height; ++row)
    fill(static_cast<char *>(pointer) + row * pitch, value, width);
  return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
  return cudaMemset2D(pointer, pitch, value, width, height);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  return copy(to, from, size, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t) {
  return copy(to, from, size, kind);
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch)
    return report(cudaErrorInvalidPitchValue);
  if (!is_kind(kind))
    return report(cudaErrorInvalidMemcpyDirection);
  if (width != 0 && height != 0 && (!to || !from))
    return report(cudaErrorInvalidValue);
  for (size_t row = 0; width != 0 && row != height; ++row)
    std::memmove(static_cast<char *>(to) + row * to_pitch, static_cast<const char *>(from) + row * from_pitch, width);
  return wait_result();
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size) {
  if (to_device != 0 || from_device != 0)
    return report(cudaErrorInvalidDevice);
  return copy(to, from, size, cudaMemcpyDefault);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size, cudaStream_t) {
  return cudaMemcpyPeer(to, to_device, from, from_device, size);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset, cudaMemcpyKind kind) {
  cudaError_t error = cudaSuccess;
  char *to = part_of_symbol(symbol, size, offset, true, error);
  return error == cudaSuccess ? copy(to, from, size, kind) : report(error);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToSymbol(symbol, from, size, offset, kind);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, cudaMemcpyKind kind) {
  cudaError_t error = cudaSuccess;
  const char *from = part_of_symbol(symbol, size, offset, false, error);
  return error == cudaSuccess ? copy(to, from, size, kind) : report(error);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t) {
  return cudaMemcpyFromSymbol(to, symbol, size, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
  cudaError_t error = cudaSuccess;
  char *address = part_of_symbol(symbol, 0, 0, false, error);
  if (!pointer)
    return report(cudaErrorInvalidValue);
  if (error == cudaSuccess)
    *pointer = address;
  return report(error);
}
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  const kernix_cpu_variable *variable = find_variable(symbol);
  if (!size)
    return report(cudaErrorInvalidValue);
  if (!variable)
    return report(cudaErrorInvalidSymbol);
  *size = variable->size;
  return cudaSuccess;
}
