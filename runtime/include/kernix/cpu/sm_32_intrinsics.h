// kernix/cpu/sm_32_intrinsics.h - one of CUDA's names for what is known before the first line of a source.
#ifndef KERNIX_CPU_SM_32_INTRINSICS_H
#define KERNIX_CPU_SM_32_INTRINSICS_H

#include "language.h"

#endif
