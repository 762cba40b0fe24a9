// gaussians.cu - launches of covariance, projection and colours in derivatives.cu.
#include "../../gpu/sources/derivatives.cu"
#include "workloads.h"

namespace {
int blocks_of(int n) { return (n + 255) / 256; }
} // namespace

void kernix_covariance(int n, const float *x, const float *s, float *c) {
  covariance<<<blocks_of(n), 256>>>(x, s, c, n);
}

void kernix_covariance_backward(int n, const float *x, float *gx, const float *s, float *gs, const float *gc) {
  covariance_bwd<<<blocks_of(n), 256>>>(x, gx, s, gs, nullptr, gc, n);
}

void kernix_projection(int n, const float *x, const float *c, const float *view, float *u, float focal) {
  projection<<<blocks_of(n), 256>>>(x, c, view, u, focal, n);
}

void kernix_projection_backward(int n, const float *x, float *gx, const float *c, float *gc, const float *view,
                                const float *gu, float focal) {
  projection_bwd<<<blocks_of(n), 256>>>(x, gx, c, gc, view, nullptr, gu, focal, n);
}

void kernix_colours(int n, const float *x, const float *k, float *c) { colours<<<blocks_of(n), 256>>>(x, k, c, n); }

void kernix_colours_backward(int n, const float *x, float *gx, const float *k, float *gk, const float *gc) {
  colours_bwd<<<blocks_of(n), 256>>>(x, gx, k, gk, nullptr, gc, n);
}
