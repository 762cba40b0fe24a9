// depthwise.cu - launches of depthwise.
#include "../../gpu/sources/depthwise.cu"
#include "workloads.h"

namespace {
dim3 grid_of(Planes of) {
  return dim3((of.width + SIDE - 1) / SIDE, (of.height + SIDE - 1) / SIDE, of.images * of.channels);
}
} // namespace

void kernix_depthwise(Planes of, const float *x, const float *w, float *y) {
  depthwise<<<grid_of(of), dim3(SIDE, STEP)>>>(x, w, y, of.channels, of.height, of.width);
}

void kernix_depthwise_backward(Planes of, const float *x, float *gx, const float *w, float *gw, const float *gy) {
  depthwise_bwd<<<grid_of(of), dim3(SIDE, STEP)>>>(x, gx, w, gw, nullptr, gy, of.channels, of.height, of.width);
}
