// Blocks whose rows are parts of a warp, and whose size the source says: lanes of a row read one element, lanes of a
// column another. What the source says is one thing, how a kernel is launched another.
#include "bank.h"

#if !defined(BANK_PRIMAL_ONLY) && !defined(BANK_SECOND)
#undef ONCE_KERNEL
#define ONCE_KERNEL                                                                                                    \
  template <class T>                                                                                                   \
  [[kernix::bind, kernix::differentiable, kernix::block(BLOCK), kernix::instantiate("float", "double")]] __global__
#endif

// A product of matrices of 2 HEIGHT x n and n x 3 WIDTH, tile by tile; each thread has 2 x 3 results.
template <class T, int WIDTH, int HEIGHT> __device__ void product_of_tiles(const T *a, const T *b, T *c, int n) {
  constexpr int DEEP = 6;
  __shared__ T as[DEEP][2 * HEIGHT], bs[DEEP][3 * WIDTH];
  const int thread = threadIdx.y * WIDTH + threadIdx.x;
  T sum[2][3] = {};
  for (int t = 0; t < n; t += DEEP) {
    for (int e = thread; e < DEEP * 2 * HEIGHT; e += WIDTH * HEIGHT)
      as[e / (2 * HEIGHT)][e % (2 * HEIGHT)] = a[e % (2 * HEIGHT) * n + t + e / (2 * HEIGHT)];
    for (int e = thread; e < DEEP * 3 * WIDTH; e += WIDTH * HEIGHT)
      bs[e / (3 * WIDTH)][e % (3 * WIDTH)] = b[(t + e / (3 * WIDTH)) * 3 * WIDTH + e % (3 * WIDTH)];
    __syncthreads();
    for (int j = 0; j < min(DEEP, n - t); ++j)
      for (int r = 0; r < 2; ++r)
        for (int s = 0; s < 3; ++s)
          sum[r][s] += as[j][r * HEIGHT + threadIdx.y] * bs[j][s * WIDTH + threadIdx.x];
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int s = 0; s < 3; ++s)
      c[(r * HEIGHT + threadIdx.y) * 3 * WIDTH + s * WIDTH + threadIdx.x] = sum[r][s];
}

#define BLOCK 16, 8
// bank: a in [16, n] -1:1 | b in [n, 48] -1:1 | c out [16, 48] | n = 12 | @block 16,8 | @grid 1,1
ONCE_KERNEL void product_of_16_by_8(const T *a, const T *b, T *c, int n) { product_of_tiles<T, 16, 8>(a, b, c, n); }
#undef BLOCK
#define BLOCK 8, 8
// bank: a in [16, n] -1:1 | b in [n, 24] -1:1 | c out [16, 24] | n = 12 | @block 8,8 | @grid 1,1
ONCE_KERNEL void product_of_8_by_8(const T *a, const T *b, T *c, int n) { product_of_tiles<T, 8, 8>(a, b, c, n); }
#undef BLOCK
#define BLOCK 2, 16
// bank: a in [32, n] -1:1 | b in [n, 6] -1:1 | c out [32, 6] | n = 12 | @block 2,16 | @grid 1,1
ONCE_KERNEL void product_of_2_by_16(const T *a, const T *b, T *c, int n) { product_of_tiles<T, 2, 16>(a, b, c, n); }
#undef BLOCK
#define BLOCK 32, 4
// bank: a in [8, n] -1:1 | b in [n, 96] -1:1 | c out [8, 96] | n = 6 | @block 32,4 | @grid 1,1
ONCE_KERNEL void product_of_32_by_4(const T *a, const T *b, T *c, int n) { product_of_tiles<T, 32, 4>(a, b, c, n); }
#undef BLOCK
#define BLOCK 12, 8
// bank: a in [16, n] -1:1 | b in [n, 36] -1:1 | c out [16, 36] | n = 12 | @block 12,8 | @grid 1,1
ONCE_KERNEL void product_of_12_by_8(const T *a, const T *b, T *c, int n) { product_of_tiles<T, 12, 8>(a, b, c, n); }
#undef BLOCK
// Launched otherwise than the source says.
#define BLOCK 16, 4
// bank: a in [16, n] -1:1 | b in [n, 24] -1:1 | c out [16, 24] | n = 12 | @block 8,8 | @grid 1,1
ONCE_KERNEL void product_of_another_block(const T *a, const T *b, T *c, int n) {
  product_of_tiles<T, 8, 8>(a, b, c, n);
}
#undef BLOCK
#define BLOCK 32
// bank: a in [16, n] -1:1 | b in [n, 48] -1:1 | c out [16, 48] | n = 12 | @block 16,8 | @grid 1,1
ONCE_KERNEL void product_of_no_rows(const T *a, const T *b, T *c, int n) { product_of_tiles<T, 16, 8>(a, b, c, n); }
