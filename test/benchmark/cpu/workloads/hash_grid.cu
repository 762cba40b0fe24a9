// hash_grid.cu - launches of encode.
#include "../../gpu/sources/hash_grid.cu"
#include "vectors.h"

void kernix_encode(HashGrid of, int n, const float *x, const float *table, float *y) {
  encode<<<dim3((n + 255) / 256, of.levels), 256>>>(x, pairs(table), pairs(y), of.growth, n, of.size);
}

void kernix_encode_backward(HashGrid of, int n, const float *x, const float *table, float *gtable, const float *gy) {
  encode_bwd<<<dim3((n + 255) / 256, of.levels), 256>>>(x, pairs(table), pairs(gtable), nullptr, pairs(gy), of.growth,
                                                        n, of.size);
}
