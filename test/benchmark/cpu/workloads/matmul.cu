// matmul.cu - launches of matmul.
#include "../../gpu/sources/matmul.cu"
#include "workloads.h"

void kernix_matmul(int m, int k, const float *a, const float *b, float *c) {
  matmul<<<dim3(COLUMNS / SIDE, m / SIDE), 256>>>(a, b, c, k);
}

void kernix_matmul_backward(int m, int k, const float *a, float *ga, const float *b, float *gb, const float *gc) {
  matmul_bwd<<<dim3(COLUMNS / SIDE, m / SIDE), 256>>>(a, ga, b, gb, nullptr, gc, k);
}
