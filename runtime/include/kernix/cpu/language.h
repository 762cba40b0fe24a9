// kernix/cpu/language.h - CUDA C++ as a language, force-included into every source of the CPU target.
//
// What nvcc knows without any #include: keywords, built-in variables, vector types, launch configuration, and (through
// the headers included here) the device functions and the math library. Libraries (half, cooperative groups, ...) are
// headers of their own under CUDA's names beside this one. Both passes read it; __CUDA_ARCH__ is defined in the device
// pass.
#ifndef KERNIX_CPU_LANGUAGE_H
#define KERNIX_CPU_LANGUAGE_H

#ifndef __CUDA__
#error                                                                                                                 \
    "kernix: kernix/cpu/language.h is for sources compiled by clang with -x cuda (see share/kernix/kernix-cpu-host.cfg)"
#endif

// Infinities are what these headers compute with, also in a build with -ffast-math.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnan-infinity-disabled"
#include "../hide_macros.h"

#include "standard_library.h"

#include "keywords.h"

#include "vector_types.h"

#include "vector_functions.h"

#include "device_runtime.h"

#include "cuda_runtime_api.h"

#include "builtin_variables.h"

#include "math_functions.h"

#include "device_functions.h"

#include "unavailable.h"

#include "../restore_macros.h"
#pragma clang diagnostic pop

#endif
