// kernix/cpu/common_functions.h - one of CUDA's names for what is known before the first line of a source.
#ifndef KERNIX_CPU_COMMON_FUNCTIONS_H
#define KERNIX_CPU_COMMON_FUNCTIONS_H

#include "language.h"

#endif
