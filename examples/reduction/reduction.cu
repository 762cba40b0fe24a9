// Sum and maximum of many values. Every block makes one value of its share: lanes of a warp reduce with shuffles, the
// warps of a block through shared memory. Reducing the blocks' values is a second call with one block.

#include <kernix/kernix.h>

struct Sum {
  static constexpr float neutral = 0.0f;
  static __device__ float combine(float a, float b) { return a + b; }
};

struct Max {
  static constexpr float neutral = -INFINITY;
  static __device__ float combine(float a, float b) { return fmaxf(a, b); }
};

template <class Op> __device__ float reduce_warp(float value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    value = Op::combine(value, __shfl_down_sync(0xffffffffu, value, offset));
  return value;
}

template <class Op> __device__ void reduce(const float *x, float *partial, int n) {
  __shared__ float warps[32];
  float value = Op::neutral;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value = Op::combine(value, x[i]);

  value = reduce_warp<Op>(value);
  const int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
  if (lane == 0)
    warps[warp] = value;
  __syncthreads();

  if (warp == 0) {
    value = lane < blockDim.x / warpSize ? warps[lane] : Op::neutral;
    value = reduce_warp<Op>(value);
    if (lane == 0)
      partial[blockIdx.x] = value;
  }
}

/// Sums of `blocks` shares of x.
[[kernix::bind, kernix::block(256), kernix::grid("blocks")]]
__global__ void sum(const float *x, [[kernix::shape("blocks")]] float *partial, [[kernix::value("x.numel()")]] int n,
                    int blocks = 1) {
  reduce<Sum>(x, partial, n);
}

/// Maxima of `blocks` shares of x.
[[kernix::bind, kernix::block(256), kernix::grid("blocks")]]
__global__ void max(const float *x, [[kernix::shape("blocks")]] float *partial, [[kernix::value("x.numel()")]] int n,
                    int blocks = 1) {
  reduce<Max>(x, partial, n);
}
