// segments.cu - launches of segments.
#include "../../gpu/sources/segments.cu"
#include "vectors.h"

void kernix_segments(Segments of, const float *weight, const float *x, float *y) {
  segments<<<(of.rows + 7) / 8, 256>>>(of.first, of.column, weight, pairs(x), pairs(y), of.rows);
}

void kernix_segments_backward(Segments of, const float *weight, float *gweight, const float *x, float *gx,
                              const float *gy) {
  segments_bwd<<<(of.rows + 7) / 8, 256>>>(of.first, of.column, weight, gweight, pairs(x), pairs(gx), nullptr,
                                           pairs(gy), of.rows);
}
