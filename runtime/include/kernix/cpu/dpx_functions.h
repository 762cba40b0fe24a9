// kernix/cpu/dpx_functions.h - the DPX functions: minima and maxima of two and three numbers, of sums, with a floor of
// zero, of 32-bit numbers and of two 16-bit numbers in one word.
#ifndef KERNIX_CPU_DPX_FUNCTIONS_H
#define KERNIX_CPU_DPX_FUNCTIONS_H

#include "simd_functions.h"

namespace kernix_cpu_dpx {

KERNIX_CPU_ONLY_DEVICE constexpr int largest(int a, int b) { return a > b ? a : b; }
KERNIX_CPU_ONLY_DEVICE constexpr int smallest(int a, int b) { return a < b ? a : b; }
KERNIX_CPU_ONLY_DEVICE constexpr unsigned largest(unsigned a, unsigned b) { return a > b ? a : b; }
KERNIX_CPU_ONLY_DEVICE constexpr unsigned smallest(unsigned a, unsigned b) { return a < b ? a : b; }
// Sums wrap.
KERNIX_CPU_ONLY_DEVICE constexpr int sum(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
KERNIX_CPU_ONLY_DEVICE constexpr unsigned sum(unsigned a, unsigned b) { return a + b; }

} // namespace kernix_cpu_dpx

#define KERNIX_CPU_DPX_WORD(Type, suffix)                                                                              \
  KERNIX_CPU_ONLY_DEVICE Type __viaddmax_##suffix(Type a, Type b, Type c) {                                            \
    return kernix_cpu_dpx::largest(kernix_cpu_dpx::sum(a, b), c);                                                      \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE Type __viaddmin_##suffix(Type a, Type b, Type c) {                                            \
    return kernix_cpu_dpx::smallest(kernix_cpu_dpx::sum(a, b), c);                                                     \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE Type __vimax3_##suffix(Type a, Type b, Type c) {                                              \
    return kernix_cpu_dpx::largest(kernix_cpu_dpx::largest(a, b), c);                                                  \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE Type __vimin3_##suffix(Type a, Type b, Type c) {                                              \
    return kernix_cpu_dpx::smallest(kernix_cpu_dpx::smallest(a, b), c);                                                \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE Type __vibmax_##suffix(Type a, Type b, bool *first) {                                         \
    *first = a >= b;                                                                                                   \
    return kernix_cpu_dpx::largest(a, b);                                                                              \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE Type __vibmin_##suffix(Type a, Type b, bool *first) {                                         \
    *first = a <= b;                                                                                                   \
    return kernix_cpu_dpx::smallest(a, b);                                                                             \
  }
KERNIX_CPU_DPX_WORD(int, s32)
KERNIX_CPU_DPX_WORD(unsigned, u32)
#undef KERNIX_CPU_DPX_WORD

KERNIX_CPU_ONLY_DEVICE int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
KERNIX_CPU_ONLY_DEVICE int __vimin_s32_relu(int a, int b) {
  return kernix_cpu_dpx::largest(kernix_cpu_dpx::smallest(a, b), 0);
}
KERNIX_CPU_ONLY_DEVICE int __vimax3_s32_relu(int a, int b, int c) {
  return kernix_cpu_dpx::largest(__vimax3_s32(a, b, c), 0);
}
KERNIX_CPU_ONLY_DEVICE int __vimin3_s32_relu(int a, int b, int c) {
  return kernix_cpu_dpx::largest(__vimin3_s32(a, b, c), 0);
}
KERNIX_CPU_ONLY_DEVICE int __viaddmax_s32_relu(int a, int b, int c) {
  return kernix_cpu_dpx::largest(__viaddmax_s32(a, b, c), 0);
}
KERNIX_CPU_ONLY_DEVICE int __viaddmin_s32_relu(int a, int b, int c) {
  return kernix_cpu_dpx::largest(__viaddmin_s32(a, b, c), 0);
}

#define KERNIX_CPU_DPX_HALVES(Part, suffix)                                                                            \
  KERNIX_CPU_ONLY_DEVICE unsigned __vimax3_##suffix(unsigned a, unsigned b, unsigned c) {                              \
    auto larger = [](int x, int y) { return kernix_cpu_dpx::largest(x, y); };                                          \
    return kernix_cpu_simd::map<Part>(kernix_cpu_simd::map<Part>(a, b, larger), c, larger);                            \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE unsigned __vimin3_##suffix(unsigned a, unsigned b, unsigned c) {                              \
    auto smaller = [](int x, int y) { return kernix_cpu_dpx::smallest(x, y); };                                        \
    return kernix_cpu_simd::map<Part>(kernix_cpu_simd::map<Part>(a, b, smaller), c, smaller);                          \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE unsigned __viaddmax_##suffix(unsigned a, unsigned b, unsigned c) {                            \
    unsigned sums = kernix_cpu_simd::map<Part>(a, b, [](int x, int y) { return x + y; });                              \
    return kernix_cpu_simd::map<Part>(sums, c, [](int x, int y) { return kernix_cpu_dpx::largest(x, y); });            \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE unsigned __viaddmin_##suffix(unsigned a, unsigned b, unsigned c) {                            \
    unsigned sums = kernix_cpu_simd::map<Part>(a, b, [](int x, int y) { return x + y; });                              \
    return kernix_cpu_simd::map<Part>(sums, c, [](int x, int y) { return kernix_cpu_dpx::smallest(x, y); });           \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE unsigned __vibmax_##suffix(unsigned a, unsigned b, bool *first_high, bool *first_low) {       \
    *first_high = static_cast<Part>(a >> 16) >= static_cast<Part>(b >> 16);                                            \
    *first_low = static_cast<Part>(a) >= static_cast<Part>(b);                                                         \
    return kernix_cpu_simd::map<Part>(a, b, [](int x, int y) { return kernix_cpu_dpx::largest(x, y); });               \
  }                                                                                                                    \
  KERNIX_CPU_ONLY_DEVICE unsigned __vibmin_##suffix(unsigned a, unsigned b, bool *first_high, bool *first_low) {       \
    *first_high = static_cast<Part>(a >> 16) <= static_cast<Part>(b >> 16);                                            \
    *first_low = static_cast<Part>(a) <= static_cast<Part>(b);                                                         \
    return kernix_cpu_simd::map<Part>(a, b, [](int x, int y) { return kernix_cpu_dpx::smallest(x, y); });              \
  }
KERNIX_CPU_DPX_HALVES(short, s16x2)
KERNIX_CPU_DPX_HALVES(unsigned short, u16x2)
#undef KERNIX_CPU_DPX_HALVES

KERNIX_CPU_ONLY_DEVICE unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __vimax3_s16x2(a, b, 0); }
KERNIX_CPU_ONLY_DEVICE unsigned __vimin_s16x2_relu(unsigned a, unsigned b) {
  return __vimax3_s16x2(__vimin3_s16x2(a, b, b), 0, 0);
}
KERNIX_CPU_ONLY_DEVICE unsigned __vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vimax3_s16x2(__vimax3_s16x2(a, b, c), 0, 0);
}
KERNIX_CPU_ONLY_DEVICE unsigned __vimin3_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vimax3_s16x2(__vimin3_s16x2(a, b, c), 0, 0);
}
KERNIX_CPU_ONLY_DEVICE unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vimax3_s16x2(__viaddmax_s16x2(a, b, c), 0, 0);
}
KERNIX_CPU_ONLY_DEVICE unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vimax3_s16x2(__viaddmin_s16x2(a, b, c), 0, 0);
}

#endif
