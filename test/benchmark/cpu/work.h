// work.h - the same work twice: as CUDA kernels for the CPU target (kernix_*) and as OpenMP loops by hand (openmp_*).
#pragma once

#define DECLARE_WORK(name, ...)                                                                                        \
  extern "C" void kernix_##name(__VA_ARGS__);                                                                          \
  extern "C" void openmp_##name(__VA_ARGS__);

// y = a x + y
DECLARE_WORK(saxpy, int n, float a, const float *x, float *y)
// Five points on an n x n grid, the border left out.
DECLARE_WORK(stencil, int n, const float *x, float *y)
// Sum of n numbers into *sum: each block one tree in shared memory, the block sums added by the host.
DECLARE_WORK(sum_tree, int n, const float *x, float *sum)
// The same, each thread adding many numbers before, with warp shuffles.
DECLARE_WORK(sum_stride, int n, const float *x, float *sum)
// A map whose threads do many elements, a grid apart.
DECLARE_WORK(stride_map, int n, const float *x, float *y)
// Nothing: one block of one thread.
DECLARE_WORK(empty, int n)
