// kernix/cpu/standard_library.h - the standard headers that nvcc has already included when a source begins, callable
// from device code.
#ifndef KERNIX_CPU_STANDARD_LIBRARY_H
#define KERNIX_CPU_STANDARD_LIBRARY_H

#include <new>

#include <exception>

#pragma clang force_cuda_host_device begin
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stddef.h>
#include <limits.h>
#pragma clang force_cuda_host_device end

#endif
