// compositing.cu - launches of composite in examples/splatting.
#include "../../../../examples/splatting/splatting.cu"
#include "vectors.h"

namespace {
dim3 grid_of(int height, int width) { return dim3((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE); }
} // namespace

void kernix_composite(Ellipses of, Tiles tiles, float *picture, int height, int width, KeptOfPixels) {
  composite<<<grid_of(height, width), dim3(SIDE, SIDE)>>>(pairs(of.centres), triples(of.conics), of.opacities,
                                                          triples(of.colours), tiles.first, tiles.members,
                                                          triples(picture), height, width);
}

void kernix_composite_backward(Ellipses of, Ellipses gradients, Tiles tiles, const float *gpicture, int height,
                               int width, KeptOfPixels) {
  composite_bwd<<<grid_of(height, width), dim3(SIDE, SIDE)>>>(
      pairs(of.centres), pairs(gradients.centres), triples(of.conics), triples(gradients.conics), of.opacities,
      gradients.opacities, triples(of.colours), triples(gradients.colours), tiles.first, tiles.members, nullptr,
      triples(gpicture), height, width);
}
