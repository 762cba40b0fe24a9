// kernix/cpu/simd_functions.h - the video instructions: two 16-bit or four 8-bit numbers in one unsigned word.
//
// Written as loops over the parts, which LLVM turns into vector instructions.
#ifndef KERNIX_CPU_SIMD_FUNCTIONS_H
#define KERNIX_CPU_SIMD_FUNCTIONS_H

#include "keywords.h"

namespace kernix_cpu_simd {

// Applies `operation` to the parts of type Part as ints; the low bits of what it gives are the part of the result.
template <class Part, class Operation>
KERNIX_CPU_ONLY_DEVICE unsigned map(unsigned a, unsigned b, Operation operation) {
  constexpr int bits = 8 * static_cast<int>(sizeof(Part));
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += bits) {
    int value =
        operation(static_cast<int>(static_cast<Part>(a >> shift)), static_cast<int>(static_cast<Part>(b >> shift)));
    result |= (static_cast<unsigned>(value) & ((1u << bits) - 1u)) << shift;
  }
  return result;
}

template <class Part, class Operation>
KERNIX_CPU_ONLY_DEVICE unsigned sum(unsigned a, unsigned b, Operation operation) {
  constexpr int bits = 8 * static_cast<int>(sizeof(Part));
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += bits)
    result += static_cast<unsigned>(
        operation(static_cast<int>(static_cast<Part>(a >> shift)), static_cast<int>(static_cast<Part>(b >> shift))));
  return result;
}

template <class Part> KERNIX_CPU_ONLY_DEVICE int clamp(int value) {
  constexpr int bits = 8 * static_cast<int>(sizeof(Part));
  constexpr bool is_signed = static_cast<Part>(-1) < static_cast<Part>(0);
  constexpr int highest = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  constexpr int lowest = is_signed ? -(1 << (bits - 1)) : 0;
  return value < lowest ? lowest : value > highest ? highest : value;
}

KERNIX_CPU_ONLY_DEVICE int distance(int a, int b) { return a > b ? a - b : b - a; }

} // namespace kernix_cpu_simd

#define KERNIX_CPU_SIMD_BINARY(name, part, expression)                                                                 \
  KERNIX_CPU_ONLY_DEVICE unsigned name(unsigned x, unsigned y) {                                                       \
    return kernix_cpu_simd::map<part>(x, y, [](int a, int b) -> int { return expression; });                           \
  }
#define KERNIX_CPU_SIMD_UNARY(name, part, expression)                                                                  \
  KERNIX_CPU_ONLY_DEVICE unsigned name(unsigned x) {                                                                   \
    return kernix_cpu_simd::map<part>(x, 0u, [](int a, int) -> int { return expression; });                            \
  }
#define KERNIX_CPU_SIMD_SUM(name, part, expression)                                                                    \
  KERNIX_CPU_ONLY_DEVICE unsigned name(unsigned x, unsigned y) {                                                       \
    return kernix_cpu_simd::sum<part>(x, y, [](int a, int b) -> int { return expression; });                           \
  }
// vset: 1 where it holds, vcmp: all bits.
#define KERNIX_CPU_SIMD_COMPARE(name, n, part, operator_)                                                              \
  KERNIX_CPU_SIMD_BINARY(__vset##name##n, part, a operator_ b)                                                         \
  KERNIX_CPU_SIMD_BINARY(__vcmp##name##n, part, a operator_ b ? -1 : 0)

#define KERNIX_CPU_SIMD(n, s, u)                                                                                       \
  KERNIX_CPU_SIMD_BINARY(__vadd##n, u, a + b)                                                                          \
  KERNIX_CPU_SIMD_BINARY(__vaddss##n, s, kernix_cpu_simd::clamp<s>(a + b))                                             \
  KERNIX_CPU_SIMD_BINARY(__vaddus##n, u, kernix_cpu_simd::clamp<u>(a + b))                                             \
  KERNIX_CPU_SIMD_BINARY(__vsub##n, u, a - b)                                                                          \
  KERNIX_CPU_SIMD_BINARY(__vsubss##n, s, kernix_cpu_simd::clamp<s>(a - b))                                             \
  KERNIX_CPU_SIMD_BINARY(__vsubus##n, u, kernix_cpu_simd::clamp<u>(a - b))                                             \
  KERNIX_CPU_SIMD_BINARY(__vavgs##n, s, (a + b + (a + b >= 0)) >> 1)                                                   \
  KERNIX_CPU_SIMD_BINARY(__vavgu##n, u, (a + b + 1) >> 1)                                                              \
  KERNIX_CPU_SIMD_BINARY(__vhaddu##n, u, (a + b) >> 1)                                                                 \
  KERNIX_CPU_SIMD_BINARY(__vabsdiffs##n, s, kernix_cpu_simd::distance(a, b))                                           \
  KERNIX_CPU_SIMD_BINARY(__vabsdiffu##n, u, kernix_cpu_simd::distance(a, b))                                           \
  KERNIX_CPU_SIMD_BINARY(__vmaxs##n, s, a > b ? a : b)                                                                 \
  KERNIX_CPU_SIMD_BINARY(__vmaxu##n, u, a > b ? a : b)                                                                 \
  KERNIX_CPU_SIMD_BINARY(__vmins##n, s, a < b ? a : b)                                                                 \
  KERNIX_CPU_SIMD_BINARY(__vminu##n, u, a < b ? a : b)                                                                 \
  KERNIX_CPU_SIMD_UNARY(__vabs##n, s, a < 0 ? -a : a)                                                                  \
  KERNIX_CPU_SIMD_UNARY(__vabsss##n, s, kernix_cpu_simd::clamp<s>(a < 0 ? -a : a))                                     \
  KERNIX_CPU_SIMD_UNARY(__vneg##n, s, -a)                                                                              \
  KERNIX_CPU_SIMD_UNARY(__vnegss##n, s, kernix_cpu_simd::clamp<s>(-a))                                                 \
  KERNIX_CPU_SIMD_SUM(__vsads##n, s, kernix_cpu_simd::distance(a, b))                                                  \
  KERNIX_CPU_SIMD_SUM(__vsadu##n, u, kernix_cpu_simd::distance(a, b))                                                  \
  KERNIX_CPU_SIMD_COMPARE(eq, n, u, ==)                                                                                \
  KERNIX_CPU_SIMD_COMPARE(ne, n, u, !=)                                                                                \
  KERNIX_CPU_SIMD_COMPARE(ges, n, s, >=)                                                                               \
  KERNIX_CPU_SIMD_COMPARE(geu, n, u, >=)                                                                               \
  KERNIX_CPU_SIMD_COMPARE(gts, n, s, >)                                                                                \
  KERNIX_CPU_SIMD_COMPARE(gtu, n, u, >)                                                                                \
  KERNIX_CPU_SIMD_COMPARE(les, n, s, <=)                                                                               \
  KERNIX_CPU_SIMD_COMPARE(leu, n, u, <=)                                                                               \
  KERNIX_CPU_SIMD_COMPARE(lts, n, s, <)                                                                                \
  KERNIX_CPU_SIMD_COMPARE(ltu, n, u, <)

KERNIX_CPU_SIMD(2, short, unsigned short)
KERNIX_CPU_SIMD(4, signed char, unsigned char)
#undef KERNIX_CPU_SIMD
#undef KERNIX_CPU_SIMD_COMPARE
#undef KERNIX_CPU_SIMD_SUM
#undef KERNIX_CPU_SIMD_UNARY
#undef KERNIX_CPU_SIMD_BINARY

#endif
