// kernix/cpu/device_functions.h - the functions that CUDA has on the device alone, one family per header.
#ifndef KERNIX_CPU_DEVICE_FUNCTIONS_H
#define KERNIX_CPU_DEVICE_FUNCTIONS_H

#include "cache_functions.h"
#include "device_atomic_functions.h"
#include "dpx_functions.h"
#include "float_intrinsics.h"
#include "integer_intrinsics.h"
#include "rounding_intrinsics.h"
#include "simd_functions.h"
#include "sync_functions.h"
#include "warp_functions.h"

#endif
