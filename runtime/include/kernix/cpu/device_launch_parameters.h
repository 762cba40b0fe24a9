// kernix/cpu/device_launch_parameters.h - one of CUDA's names for what is known before the first line of a source.
#ifndef KERNIX_CPU_DEVICE_LAUNCH_PARAMETERS_H
#define KERNIX_CPU_DEVICE_LAUNCH_PARAMETERS_H

#include "language.h"

#endif
