// cpu/api.h - the CUDA runtime API's declarations, for the files that implement it in plain C++.
#pragma once

#define __host__
#define __device__
#include "kernix/cpu/cuda_runtime_api.h"
#undef __host__
#undef __device__
