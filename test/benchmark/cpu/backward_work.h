// backward_work.h - backward passes twice: of differentiated CUDA kernels on the CPU target (kernix_*), and as OpenMP
// loops by hand (openmp_*). Gradients are added to.
#pragma once

#define DECLARE_WORK(name, ...)                                                                                        \
  extern "C" void kernix_##name(__VA_ARGS__);                                                                          \
  extern "C" void openmp_##name(__VA_ARGS__);

// z = a x y + (1 - a) y
DECLARE_WORK(blend, int n, const float *x, float *gx, const float *y, float *gy, const float *gz, float a)
// Five points on an n x n grid, the border left out.
DECLARE_WORK(stencil, int n, const float *x, float *gx, const float *gy)
// Real spherical harmonics up to degree 3 in direction d [n, 3], weighted with c [n, 16].
DECLARE_WORK(harmonics, int n, const float *d, float *gd, const float *c, float *gc, const float *gy)
// 64 steps of v += h (w - v v x) from v = x.
DECLARE_WORK(recurrence, int n, const float *x, float *gx, const float *w, float *gw, const float *gy)
