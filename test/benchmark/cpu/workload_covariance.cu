// workload_covariance.cu - launches of covariance in derivatives.cu.
#include "../gpu/sources/derivatives.cu"
#include "workloads.h"

void kernix_covariance(int n, const float *x, const float *s, float *c) {
  covariance<<<(n + 255) / 256, 256>>>(x, s, c, n);
}

void kernix_covariance_backward(int n, const float *x, float *gx, const float *s, float *gs, const float *gc) {
  covariance_bwd<<<(n + 255) / 256, 256>>>(x, gx, s, gs, nullptr, gc, n);
}
