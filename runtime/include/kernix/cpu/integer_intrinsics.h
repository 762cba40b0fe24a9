// kernix/cpu/integer_intrinsics.h - bit counting, permutation, funnel shifts, high products, dot products.
#ifndef KERNIX_CPU_INTEGER_INTRINSICS_H
#define KERNIX_CPU_INTEGER_INTRINSICS_H

#include "keywords.h"
#include "vector_types.h"

KERNIX_CPU_ONLY_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
KERNIX_CPU_ONLY_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
KERNIX_CPU_ONLY_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
KERNIX_CPU_ONLY_DEVICE int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
KERNIX_CPU_ONLY_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
KERNIX_CPU_ONLY_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
KERNIX_CPU_ONLY_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
KERNIX_CPU_ONLY_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

// Byte i of the result is the byte of y:x that nibble i of `selector` names; the nibble's top bit asks for that byte's
// sign in all eight bits.
KERNIX_CPU_ONLY_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned nibble = selector >> (4 * i) & 0xfu;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (nibble & 7u))) & 0xffu;
    if (nibble & 8u)
      byte = byte & 0x80u ? 0xffu : 0u;
    result |= byte << (8 * i);
  }
  return result;
}

KERNIX_CPU_ONLY_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31u) >> 32);
}
KERNIX_CPU_ONLY_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31u));
}
KERNIX_CPU_ONLY_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32u ? low : __funnelshift_l(low, high, shift);
}
KERNIX_CPU_ONLY_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32u ? high : __funnelshift_r(low, high, shift);
}

KERNIX_CPU_ONLY_DEVICE int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
KERNIX_CPU_ONLY_DEVICE unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
KERNIX_CPU_ONLY_DEVICE long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
KERNIX_CPU_ONLY_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
// Low 32 bits of the product of the low 24 bits.
KERNIX_CPU_ONLY_DEVICE int __mul24(int x, int y) {
  long long a = static_cast<int>(static_cast<unsigned>(x) << 8) >> 8;
  long long b = static_cast<int>(static_cast<unsigned>(y) << 8) >> 8;
  return static_cast<int>(a * b);
}
KERNIX_CPU_ONLY_DEVICE unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }

KERNIX_CPU_ONLY_DEVICE unsigned __sad(int x, int y, unsigned z) {
  return (x > y ? static_cast<unsigned>(x) - static_cast<unsigned>(y)
                : static_cast<unsigned>(y) - static_cast<unsigned>(x)) +
         z;
}
KERNIX_CPU_ONLY_DEVICE unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }
// Averages without overflow, rounded down and (r) up.
KERNIX_CPU_ONLY_DEVICE int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
KERNIX_CPU_ONLY_DEVICE int __rhadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1); }
KERNIX_CPU_ONLY_DEVICE unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
KERNIX_CPU_ONLY_DEVICE unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1u) >> 1);
}

namespace kernix_cpu_integer {

// Sum of products of 8 or 16 bit parts, A and B being the parts' types; wraps around.
template <class A, class B, int count>
KERNIX_CPU_ONLY_DEVICE unsigned dot(unsigned a, int a_shift, unsigned b, int b_shift, unsigned sum) {
  for (int i = 0; i < count; ++i) {
    A left = static_cast<A>(a >> (static_cast<int>(8 * sizeof(A)) * i + a_shift));
    B right = static_cast<B>(b >> (static_cast<int>(8 * sizeof(B)) * i + b_shift));
    sum += static_cast<unsigned>(static_cast<int>(left) * static_cast<int>(right));
  }
  return sum;
}

} // namespace kernix_cpu_integer

KERNIX_CPU_ONLY_DEVICE int __dp4a(int a, int b, int sum) {
  return static_cast<int>(kernix_cpu_integer::dot<signed char, signed char, 4>(
      static_cast<unsigned>(a), 0, static_cast<unsigned>(b), 0, static_cast<unsigned>(sum)));
}
KERNIX_CPU_ONLY_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  return kernix_cpu_integer::dot<unsigned char, unsigned char, 4>(a, 0, b, 0, sum);
}
KERNIX_CPU_ONLY_DEVICE int __dp2a_lo(int a, int b, int sum) {
  return static_cast<int>(kernix_cpu_integer::dot<short, signed char, 2>(
      static_cast<unsigned>(a), 0, static_cast<unsigned>(b), 0, static_cast<unsigned>(sum)));
}
KERNIX_CPU_ONLY_DEVICE unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
  return kernix_cpu_integer::dot<unsigned short, unsigned char, 2>(a, 0, b, 0, sum);
}
KERNIX_CPU_ONLY_DEVICE int __dp2a_hi(int a, int b, int sum) {
  return static_cast<int>(kernix_cpu_integer::dot<short, signed char, 2>(
      static_cast<unsigned>(a), 0, static_cast<unsigned>(b), 16, static_cast<unsigned>(sum)));
}
KERNIX_CPU_ONLY_DEVICE unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) {
  return kernix_cpu_integer::dot<unsigned short, unsigned char, 2>(a, 0, b, 16, sum);
}

// The vector forms of the same.
namespace kernix_cpu_integer {
template <class V> KERNIX_CPU_ONLY_DEVICE unsigned word(V v) {
  unsigned bits;
  static_assert(sizeof(V) == sizeof bits);
  __builtin_memcpy(&bits, &v, sizeof bits);
  return bits;
}
} // namespace kernix_cpu_integer
KERNIX_CPU_ONLY_DEVICE int __dp4a(char4 a, char4 b, int sum) {
  return __dp4a(static_cast<int>(kernix_cpu_integer::word(a)), static_cast<int>(kernix_cpu_integer::word(b)), sum);
}
KERNIX_CPU_ONLY_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) {
  return __dp4a(kernix_cpu_integer::word(a), kernix_cpu_integer::word(b), sum);
}
KERNIX_CPU_ONLY_DEVICE int __dp2a_lo(short2 a, char4 b, int sum) {
  return __dp2a_lo(static_cast<int>(kernix_cpu_integer::word(a)), static_cast<int>(kernix_cpu_integer::word(b)), sum);
}
KERNIX_CPU_ONLY_DEVICE unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned sum) {
  return __dp2a_lo(kernix_cpu_integer::word(a), kernix_cpu_integer::word(b), sum);
}
KERNIX_CPU_ONLY_DEVICE int __dp2a_hi(short2 a, char4 b, int sum) {
  return __dp2a_hi(static_cast<int>(kernix_cpu_integer::word(a)), static_cast<int>(kernix_cpu_integer::word(b)), sum);
}
KERNIX_CPU_ONLY_DEVICE unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned sum) {
  return __dp2a_hi(kernix_cpu_integer::word(a), kernix_cpu_integer::word(b), sum);
}

#endif
