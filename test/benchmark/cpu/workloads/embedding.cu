// embedding.cu - launches of embedding.
#include "../../gpu/sources/embedding.cu"
#include "vectors.h"

void kernix_embedding(int n, const float *table, const int *ids, float *y) {
  embedding<<<(n * FOURS + 255) / 256, 256>>>(fours(table), ids, fours(y), n);
}

void kernix_embedding_backward(int n, const float *table, float *gtable, const int *ids, const float *gy) {
  embedding_bwd<<<(n * FOURS + 255) / 256, 256>>>(fours(table), fours(gtable), ids, nullptr, fours(gy), n);
}
