// kernix/cpu/driver_types.h - one of CUDA's names for what is known before the first line of a source.
#ifndef KERNIX_CPU_DRIVER_TYPES_H
#define KERNIX_CPU_DRIVER_TYPES_H

#include "language.h"

#endif
