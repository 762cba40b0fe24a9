// kernix/cpu/time.h - the standard header; clock() of device code reads the counter that clock64() reads.
//
// Not callable from device code otherwise: CUDA's clock() needs to stand beside the host's.
#include_next <time.h>

#ifndef KERNIX_CPU_TIME_H
#define KERNIX_CPU_TIME_H
#include "device_runtime.h"
__attribute__((device, always_inline)) inline clock_t clock() { return kernix_cpu_clock64(); }
#endif
