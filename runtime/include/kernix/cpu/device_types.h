// kernix/cpu/device_types.h - one of CUDA's names for what is known before the first line of a source.
#ifndef KERNIX_CPU_DEVICE_TYPES_H
#define KERNIX_CPU_DEVICE_TYPES_H

#include "language.h"

#endif
