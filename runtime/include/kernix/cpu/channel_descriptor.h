// kernix/cpu/channel_descriptor.h - one of CUDA's names for what is known before the first line of a source.
#ifndef KERNIX_CPU_CHANNEL_DESCRIPTOR_H
#define KERNIX_CPU_CHANNEL_DESCRIPTOR_H

#include "language.h"

#endif
