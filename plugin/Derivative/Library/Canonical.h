// Canonical.h - the canonical functions that the library calls, under their names in a module.
#ifndef KERNIX_DERIVATIVE_LIBRARY_CANONICAL_H
#define KERNIX_DERIVATIVE_LIBRARY_CANONICAL_H

#define KERNIX_CANONICAL(name)                                                                                         \
  extern "C" float kernix_##name##_f32(float) __asm__("kernix." #name ".f32") __attribute__((const, nothrow));         \
  extern "C" double kernix_##name##_f64(double) __asm__("kernix." #name ".f64") __attribute__((const, nothrow));       \
  static inline float name(float x) { return kernix_##name##_f32(x); }                                                 \
  static inline double name(double x) { return kernix_##name##_f64(x); }

KERNIX_CANONICAL(cos)
KERNIX_CANONICAL(cosh)
KERNIX_CANONICAL(exp)
KERNIX_CANONICAL(log)
KERNIX_CANONICAL(sin)
KERNIX_CANONICAL(sinh)
KERNIX_CANONICAL(sqrt)
KERNIX_CANONICAL(tan)
KERNIX_CANONICAL(tanh)
#undef KERNIX_CANONICAL

#define KERNIX_CANONICAL(name)                                                                                         \
  extern "C" float kernix_##name##_f32(float, float) __asm__("kernix." #name ".f32") __attribute__((const, nothrow));  \
  extern "C" double kernix_##name##_f64(double, double) __asm__("kernix." #name ".f64")                                \
      __attribute__((const, nothrow));                                                                                 \
  static inline float name(float x, float y) { return kernix_##name##_f32(x, y); }                                     \
  static inline double name(double x, double y) { return kernix_##name##_f64(x, y); }

KERNIX_CANONICAL(atan2)
KERNIX_CANONICAL(hypot)
KERNIX_CANONICAL(pow)
#undef KERNIX_CANONICAL

static inline float rint(float x) { return __builtin_rintf(x); }
static inline double rint(double x) { return __builtin_rint(x); }
static inline float copysign(float x, float y) { return __builtin_copysignf(x, y); }
static inline double copysign(double x, double y) { return __builtin_copysign(x, y); }

#endif
