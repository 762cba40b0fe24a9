// kernix/cpu/assert.h - assert for both passes. May be included again with another NDEBUG, as the standard says.
//
// A failed assertion of device code ends its launch with cudaErrorAssert; one of host code aborts, as everywhere.
#pragma clang force_cuda_host_device begin
#include_next <assert.h>
#pragma clang force_cuda_host_device end

#ifdef __CUDA_ARCH__
#include "device_runtime.h"

// Overload resolution by target: host functions of this pass keep the C library's.
#ifndef KERNIX_CPU_ASSERT_H
#define KERNIX_CPU_ASSERT_H
__attribute__((device, always_inline)) inline void
kernix_cpu_check_assertion(bool holds, const char *expression, const char *file, unsigned line, const char *function) {
  if (__builtin_expect(!holds, 0))
    kernix_cpu_assert_fail(expression, file, line, function);
}
__attribute__((host)) void kernix_cpu_check_assertion(bool holds, const char *expression, const char *file,
                                                      unsigned line, const char *function);
#endif

#ifndef NDEBUG
#undef assert
#define assert(...)                                                                                                    \
  kernix_cpu_check_assertion(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__,                         \
                             static_cast<const char *>(__PRETTY_FUNCTION__))
#endif
#endif
