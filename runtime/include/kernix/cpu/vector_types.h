// kernix/cpu/vector_types.h - CUDA's vector types and dim3, with CUDA's sizes and alignments.
//
// The arithmetic on them is left to the user, as CUDA leaves it. make_* are in vector_functions.h.
#ifndef KERNIX_CPU_VECTOR_TYPES_H
#define KERNIX_CPU_VECTOR_TYPES_H

// Alignments: two and four components align like one machine word of that size (at most 16 bytes), one and three
// components like the element. Loads of a whole vector may then be single instructions, which programs rely on through
// reinterpret_cast<float4 *>.
#define KERNIX_CPU_VECTORS(type, name, align2, align4)                                                                 \
  struct name##1 { type x; };                                                                                          \
  struct alignas(align2) name##2 { type x, y; };                                                                       \
  struct name##3 { type x, y, z; };                                                                                    \
  struct alignas(align4) name##4 { type x, y, z, w; };

KERNIX_CPU_VECTORS(signed char, char, 2, 4)
KERNIX_CPU_VECTORS(unsigned char, uchar, 2, 4)
KERNIX_CPU_VECTORS(short, short, 4, 8)
KERNIX_CPU_VECTORS(unsigned short, ushort, 4, 8)
KERNIX_CPU_VECTORS(int, int, 8, 16)
KERNIX_CPU_VECTORS(unsigned int, uint, 8, 16)
KERNIX_CPU_VECTORS(long, long, 16, 16)
KERNIX_CPU_VECTORS(unsigned long, ulong, 16, 16)
KERNIX_CPU_VECTORS(long long, longlong, 16, 16)
KERNIX_CPU_VECTORS(unsigned long long, ulonglong, 16, 16)
KERNIX_CPU_VECTORS(float, float, 8, 16)
KERNIX_CPU_VECTORS(double, double, 16, 16)
#undef KERNIX_CPU_VECTORS

// CUDA 13 names the alignment of the 32-byte vectors in the type.
#define KERNIX_CPU_WIDE_VECTOR(type, name)                                                                             \
  struct alignas(16) name##4_16a { type x, y, z, w; };                                                                 \
  struct alignas(32) name##4_32a { type x, y, z, w; };

KERNIX_CPU_WIDE_VECTOR(long, long)
KERNIX_CPU_WIDE_VECTOR(unsigned long, ulong)
KERNIX_CPU_WIDE_VECTOR(long long, longlong)
KERNIX_CPU_WIDE_VECTOR(unsigned long long, ulonglong)
KERNIX_CPU_WIDE_VECTOR(double, double)
#undef KERNIX_CPU_WIDE_VECTOR

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

#endif
