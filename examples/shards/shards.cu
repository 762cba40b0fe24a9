// Heat in a rod, of which each device holds a part.

#include <kernix/kernix.h>

/// One step in time. `u` is a part of the rod and one element of either neighbour.
[[kernix::bind, kernix::differentiable]] __global__ void advance(const float *u, const float *conductivity,
                                                                 [[kernix::value("u.numel() - 2")]] int n,
                                                                 [[kernix::shape("n")]] float *next) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    next[i] = u[i + 1] + conductivity[0] * (u[i] - 2 * u[i + 1] + u[i + 2]);
}
