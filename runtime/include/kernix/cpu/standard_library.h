// kernix/cpu/standard_library.h - the standard headers that nvcc has already read when a source begins.
//
// Every header of the standard library has a wrapper of its name beside this file: what it declares is __host__
// __device__ in both passes, whatever the order of inclusion. What of it makes sense on a GPU (cmath, complex, tuple,
// algorithm on arrays, ...) is callable from kernels; what throws, allocates through an opaque library call or holds
// static state is refused by clang where device code reaches it.
#ifndef KERNIX_CPU_STANDARD_LIBRARY_H
#define KERNIX_CPU_STANDARD_LIBRARY_H

#include <new>

#include <time.h>

// Before anything that reads the C library's <math.h> directly: see the wrapper.
#include <math.h>

#include <cmath>

// As CUDA's own headers do.
#include <assert.h>

#include <limits.h>

#include <stddef.h>

#include <stdint.h>

#include <stdio.h>

#include <cstdlib>

#include <stdlib.h>

#include <cstring>

#include <string.h>

#include <utility>

#endif
