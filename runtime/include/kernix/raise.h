// kernix/raise.h - how light headers report an error: they throw without including <stdexcept>.

#ifndef KERNIX_RAISE_H
#define KERNIX_RAISE_H

#include "kernix/abi.h"

#if defined(__CUDACC__) || defined(__CUDA__)
#define KERNIX_HD __host__ __device__
#else
#define KERNIX_HD
#endif

extern "C" {
/// Throws kernix::KernelError (kernix/error.h) with a printf-style message and a kernix_status. Host only.
[[noreturn]] KERNIX_API void kernix_raise(int status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
}

#endif // KERNIX_RAISE_H
