// kernix/cpu/host_defines.h - one of CUDA's names for what is known before the first line of a source.
#ifndef KERNIX_CPU_HOST_DEFINES_H
#define KERNIX_CPU_HOST_DEFINES_H

#include "language.h"

#endif
