// kernix/cpu/cuda_runtime.h - CUDA's main header. Everything in it is known before the first line of a source.
#ifndef KERNIX_CPU_CUDA_RUNTIME_H
#define KERNIX_CPU_CUDA_RUNTIME_H

#include "language.h"

#endif
