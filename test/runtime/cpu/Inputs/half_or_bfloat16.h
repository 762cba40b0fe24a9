// half_or_bfloat16.h - T, its pairs, its format and its functions by NAME: half, or bfloat16 where BFLOAT16 is defined.

#pragma once
#include "narrow.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifdef BFLOAT16
typedef __nv_bfloat16 T;
typedef __nv_bfloat162 T2;
#define NAME(prefix, suffix) prefix##bfloat16##suffix
const Format format(7, 8);
#else
typedef __half T;
typedef __half2 T2;
#define NAME(prefix, suffix) prefix##half##suffix
const Format format(10, 5);
#endif

#define AS(bits) NAME(__ushort_as_, )(static_cast<unsigned short>(bits))
#define BITS(x) NAME(__, _as_ushort)(x)
