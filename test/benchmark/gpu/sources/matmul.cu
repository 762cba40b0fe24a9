// test/benchmark/gpu/sources/matmul.cu - the product of two matrices: tiles in shared memory, tiles of results in
// registers. Extents are multiples of 128, columns are 2048.

#include "by_hand.h"

constexpr int COLUMNS = 2048;

// -- the kernel: 128 x 128 results of a block, 8 x 8 of each thread -------------------------------------------------

constexpr int SIDE = 128, DEEP = 16;

// a [m, k], b [k, 2048] -> c [m, 2048]
[[kernix::bind, kernix::differentiable(backward), kernix::block(256), kernix::grid("16", "a.size(0) / 128")]]
__global__ void matmul(const float *a, [[kernix::shape("k", "2048")]] const float *b,
                       [[kernix::shape("a.size(0)", "2048")]] float *c, [[kernix::value("a.size(1)")]] int k) {
  __shared__ __align__(16) float as[DEEP][SIDE + 4], bs[DEEP][SIDE];
  const int thread = threadIdx.x, tx = thread % 16, ty = thread / 16;
  const int top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
  float sum[8][8] = {};
  for (int t = 0; t < k; t += DEEP) {
    for (int e = thread; e < SIDE * DEEP / 4; e += 256) {
      const int row = e / 4, depth = e % 4 * 4;
      const float4 v = *reinterpret_cast<const float4 *>(a + (top + row) * k + t + depth);
      as[depth][row] = v.x;
      as[depth + 1][row] = v.y;
      as[depth + 2][row] = v.z;
      as[depth + 3][row] = v.w;
      *reinterpret_cast<float4 *>(&bs[e / 32][e % 32 * 4]) =
          *reinterpret_cast<const float4 *>(b + (t + e / 32) * COLUMNS + left + e % 32 * 4);
    }
    __syncthreads();
    for (int j = 0; j < DEEP; ++j) {
      float u[8], v[8];
#pragma unroll
      for (int r = 0; r < 8; ++r) {
        u[r] = as[j][r / 4 * 64 + ty * 4 + r % 4];
        v[r] = bs[j][r / 4 * 64 + tx * 4 + r % 4];
      }
#pragma unroll
      for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int s = 0; s < 8; ++s)
          sum[r][s] += u[r] * v[s];
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 8; ++r)
#pragma unroll
    for (int s = 0; s < 8; s += 4) {
      const int row = top + r / 4 * 64 + ty * 4 + r % 4, column = left + s / 4 * 64 + tx * 4;
      *reinterpret_cast<float4 *>(c + row * COLUMNS + column) =
          make_float4(sum[r][s], sum[r][s + 1], sum[r][s + 2], sum[r][s + 3]);
    }
}

// -- by hand: 128 x 128 results of a block, 8 x 8 of each thread ----------------------------------------------------

namespace {

constexpr int TILE = 128, DEPTH = 8;

/// Four numbers of a tile [DEPTH][TILE] of a matrix. With `Across` the rows of the matrix run along the depth, and the
/// tile is stored turned.
template <bool Across>
__device__ float4 load(const float *__restrict__ matrix, int stride, int begin, int depth, int thread) {
  const float *from = Across ? matrix + static_cast<size_t>(begin + thread / 2) * stride + depth + thread % 2 * 4
                             : matrix + static_cast<size_t>(depth + thread / 32) * stride + begin + thread % 32 * 4;
  return *reinterpret_cast<const float4 *>(from);
}

template <bool Across> __device__ void store(float (&tile)[DEPTH][TILE + 4], float4 v, int thread) {
  if (Across) {
    const int row = thread % 2 * 4, column = thread / 2;
    tile[row][column] = v.x;
    tile[row + 1][column] = v.y;
    tile[row + 2][column] = v.z;
    tile[row + 3][column] = v.w;
  } else {
    *reinterpret_cast<float4 *>(&tile[thread / 32][thread % 32 * 4]) = v;
  }
}

/// c = a b or c += a b, each of a and b as it lies in memory or turned. Two tiles in shared memory: one is filled while
/// the other is read.
template <bool TurnedA, bool TurnedB, bool Add>
__device__ void product(const float *__restrict__ a, int stride_a, const float *__restrict__ b, int stride_b,
                        float *__restrict__ c, int stride_c, int depth) {
  __shared__ __align__(16) float as[2][DEPTH][TILE + 4], bs[2][DEPTH][TILE + 4];
  const int thread = threadIdx.x, tx = thread % 16, ty = thread / 16;
  const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
  store<!TurnedA>(as[0], load<!TurnedA>(a, stride_a, top, 0, thread), thread);
  store<TurnedB>(bs[0], load<TurnedB>(b, stride_b, left, 0, thread), thread);
  __syncthreads();
  float sum[8][8] = {};
  int buffer = 0;
  for (int t = 0; t < depth; t += DEPTH) {
    // The last time it is the same tile again, which is not used.
    const int next = min(t + DEPTH, depth - DEPTH);
    const float4 next_a = load<!TurnedA>(a, stride_a, top, next, thread);
    const float4 next_b = load<TurnedB>(b, stride_b, left, next, thread);
#pragma unroll
    for (int j = 0; j < DEPTH; ++j) {
      const float4 u0 = *reinterpret_cast<const float4 *>(&as[buffer][j][ty * 4]);
      const float4 u1 = *reinterpret_cast<const float4 *>(&as[buffer][j][64 + ty * 4]);
      const float4 v0 = *reinterpret_cast<const float4 *>(&bs[buffer][j][tx * 4]);
      const float4 v1 = *reinterpret_cast<const float4 *>(&bs[buffer][j][64 + tx * 4]);
      const float u[8] = {u0.x, u0.y, u0.z, u0.w, u1.x, u1.y, u1.z, u1.w};
      const float v[8] = {v0.x, v0.y, v0.z, v0.w, v1.x, v1.y, v1.z, v1.w};
#pragma unroll
      for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int s = 0; s < 8; ++s)
          sum[r][s] += u[r] * v[s];
    }
    buffer ^= 1;
    store<!TurnedA>(as[buffer], next_a, thread);
    store<TurnedB>(bs[buffer], next_b, thread);
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 8; ++r)
#pragma unroll
    for (int s = 0; s < 8; s += 4) {
      const int row = top + r / 4 * 64 + ty * 4 + r % 4, column = left + s / 4 * 64 + tx * 4;
      float4 *to = reinterpret_cast<float4 *>(c + static_cast<size_t>(row) * stride_c + column);
      const float4 old = Add ? *to : make_float4(0, 0, 0, 0);
      *to = make_float4(old.x + sum[r][s], old.y + sum[r][s + 1], old.z + sum[r][s + 2], old.w + sum[r][s + 3]);
    }
}

} // namespace

[[kernix::bind, kernix::block(256), kernix::grid("b.size(1) / 128", "a.size(0) / 128")]]
__global__ void __launch_bounds__(256)
    matmul_forward_by_hand(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                           [[kernix::value("b.size(0)")]] int k, [[kernix::value("b.size(1)")]] int n) {
  product<false, false, false>(a, k, b, n, c, n, k);
}

// ga [m, k] += gc [m, n] b^T
[[kernix::bind, kernix::block(256), kernix::grid("ga.size(1) / 128", "ga.size(0) / 128")]]
__global__ void __launch_bounds__(256)
    matmul_left_by_hand(float *__restrict__ ga, const float *__restrict__ b, const float *__restrict__ gc,
                        [[kernix::value("b.size(0)")]] int k, [[kernix::value("b.size(1)")]] int n) {
  product<false, true, true>(gc, n, b, n, ga, k, n);
}

// gb [k, n] += a^T gc [m, n]
[[kernix::bind, kernix::block(256), kernix::grid("gb.size(1) / 128", "gb.size(0) / 128")]]
__global__ void __launch_bounds__(256)
    matmul_right_by_hand(const float *__restrict__ a, float *__restrict__ gb, const float *__restrict__ gc,
                         [[kernix::value("gb.size(0)")]] int k, [[kernix::value("gb.size(1)")]] int n,
                         [[kernix::value("a.size(0)")]] int m) {
  product<true, false, true>(a, k, gc, n, gb, n, m);
}
