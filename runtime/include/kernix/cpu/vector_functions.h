// kernix/cpu/vector_functions.h - make_int2, make_float4 and their like.
#ifndef KERNIX_CPU_VECTOR_FUNCTIONS_H
#define KERNIX_CPU_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define KERNIX_CPU_MAKE(type, name)                                                                                    \
  __host__ __device__ constexpr name##1 make_##name##1(type x) { return {x}; }                                         \
  __host__ __device__ constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }                              \
  __host__ __device__ constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                   \
  __host__ __device__ constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

KERNIX_CPU_MAKE(signed char, char)
KERNIX_CPU_MAKE(unsigned char, uchar)
KERNIX_CPU_MAKE(short, short)
KERNIX_CPU_MAKE(unsigned short, ushort)
KERNIX_CPU_MAKE(int, int)
KERNIX_CPU_MAKE(unsigned int, uint)
KERNIX_CPU_MAKE(long, long)
KERNIX_CPU_MAKE(unsigned long, ulong)
KERNIX_CPU_MAKE(long long, longlong)
KERNIX_CPU_MAKE(unsigned long long, ulonglong)
KERNIX_CPU_MAKE(float, float)
KERNIX_CPU_MAKE(double, double)
#undef KERNIX_CPU_MAKE

#define KERNIX_CPU_MAKE_WIDE(type, name)                                                                               \
  __host__ __device__ constexpr name##4_16a make_##name##4_16a(type x, type y, type z, type w) {                       \
    return {x, y, z, w};                                                                                               \
  }                                                                                                                    \
  __host__ __device__ constexpr name##4_32a make_##name##4_32a(type x, type y, type z, type w) { return {x, y, z, w}; }

KERNIX_CPU_MAKE_WIDE(long, long)
KERNIX_CPU_MAKE_WIDE(unsigned long, ulong)
KERNIX_CPU_MAKE_WIDE(long long, longlong)
KERNIX_CPU_MAKE_WIDE(unsigned long long, ulonglong)
KERNIX_CPU_MAKE_WIDE(double, double)
#undef KERNIX_CPU_MAKE_WIDE

#endif
