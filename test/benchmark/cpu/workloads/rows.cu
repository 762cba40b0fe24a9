// rows.cu - launches of layer_norm, with 64 blocks, enough for the threads of a CPU, and of softmax.
#include "../../gpu/sources/rows.cu"
#include "vectors.h"

void kernix_layer_norm(int rows, const float *x, const float *scale, const float *shift, float *y) {
  layer_norm<<<64, THREADS>>>(fours(x), fours(scale), fours(shift), fours(y), rows);
}

void kernix_layer_norm_backward(int rows, const float *x, float *gx, const float *scale, float *gscale,
                                const float *shift, float *gshift, const float *gy) {
  layer_norm_bwd<<<64, THREADS>>>(fours(x), fours(gx), fours(scale), fours(gscale), fours(shift), fours(gshift),
                                  nullptr, fours(gy), rows);
}

void kernix_softmax(int rows, const float *x, float *y) { softmax<<<rows, THREADS>>>(fours(x), fours(y)); }

void kernix_softmax_backward(int rows, const float *x, float *gx, const float *gy, const float *) {
  softmax_bwd<<<rows, THREADS>>>(fours(x), fours(gx), nullptr, fours(gy));
}
