// Canonical.h - the canonical functions that the library calls, under their names in a module.
#ifndef KERNIX_DERIVATIVE_LIBRARY_CANONICAL_H
#define KERNIX_DERIVATIVE_LIBRARY_CANONICAL_H

#define KERNIX_CANONICAL(name)                                                                                         \
  extern "C" float kernix_##name##_f32(float) __asm__("kernix." #name ".f32") __attribute__((const, nothrow));         \
  extern "C" double kernix_##name##_f64(double) __asm__("kernix." #name ".f64") __attribute__((const, nothrow));       \
  static inline float name(float x) { return kernix_##name##_f32(x); }                                                 \
  static inline double name(double x) { return kernix_##name##_f64(x); }

KERNIX_CANONICAL(log)
KERNIX_CANONICAL(tan)
#undef KERNIX_CANONICAL

static inline float rint(float x) { return __builtin_rintf(x); }
static inline double rint(double x) { return __builtin_rint(x); }

#endif
