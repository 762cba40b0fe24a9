// Barriers, shuffles, votes, cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <kernix/kernix.h>

namespace cg = cooperative_groups;

// A tree in shared memory. Threads beyond n take part in the barriers.
[[kernix::bind, kernix::grid("ceil_div(n, block.x)"), kernix::block(256)]]
__global__ void tree_sum(const int *x,
                         [[kernix::intent(out_return), kernix::shape("ceil_div(x.numel(), 256)")]] int *sums,
                         [[kernix::value("x.numel()")]] int n) {
  __shared__ int part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part[0];
}

// Shuffles within a warp, shared memory between warps, one atomic per block.
[[kernix::bind, kernix::grid("ceil_div(n, block.x)"), kernix::block(256)]]
__global__ void warp_sum(const float *x, [[kernix::intent(out_return), kernix::shape("1")]] float *sum,
                         [[kernix::value("x.numel()")]] int n) {
  __shared__ float part[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? x[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      value += __shfl_xor_sync(0xffffffffu, value, offset);
    if (threadIdx.x == 0)
      atomicAdd(sum, value);
  }
}

[[kernix::bind, kernix::grid("ceil_div(n, block.x)"), kernix::block(128)]]
__global__ void votes(const int *x, [[kernix::intent(out_return), kernix::shape("x")]] unsigned *result,
                      [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? x[i] : 0;
  unsigned ballot = __ballot_sync(0xffffffffu, value > 0);
  unsigned equal = __match_any_sync(0xffffffffu, value);
  int all = __all_sync(0xffffffffu, value >= 0), any = __any_sync(0xffffffffu, value == 3);
  int count = __syncthreads_count(value > 0);
  if (i < n)
    result[i] = ballot ^ equal ^ (static_cast<unsigned>(all) << 1) ^ static_cast<unsigned>(any) ^
                (static_cast<unsigned>(count) << 2) ^ static_cast<unsigned>(__popc(ballot) << 8);
}

// Tiles of 8 lanes.
[[kernix::bind, kernix::grid("ceil_div(n, block.x)"), kernix::block(64)]]
__global__ void tile_max(const float *x,
                         [[kernix::intent(out_return), kernix::shape("ceil_div(x.numel(), 8)")]] float *most,
                         [[kernix::value("x.numel()")]] int n) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = cg::reduce(tile, i < n ? x[i] : -1e30f, cg::greater<float>());
  if (tile.thread_rank() == 0 && i < n)
    most[i / 8] = value;
}

// Threads that returned before a barrier do not hold up the others.
[[kernix::bind, kernix::grid("1"), kernix::block(128)]]
__global__ void some_return(const int *x, [[kernix::intent(out_return), kernix::shape("x")]] int *y,
                            [[kernix::value("x.numel()")]] int n) {
  __shared__ int part[128];
  int i = threadIdx.x;
  if (i >= n)
    return;
  part[i] = x[i];
  __syncthreads();
  y[i] = part[n - 1 - i];
}
