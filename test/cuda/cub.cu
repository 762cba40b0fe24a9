// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <cub/cub.cuh>

// CHECK: .entry {{.*}}block_sum
__global__ void block_sum(const float *x, float *sums) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  float total = Reduce(storage).Sum(x[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = total;
}

__global__ void block_scan(int *x) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage storage;
  Scan(storage).InclusiveSum(x[threadIdx.x], x[threadIdx.x]);
}

__global__ void warp_sum(int *x) {
  using Reduce = cub::WarpReduce<int>;
  __shared__ typename Reduce::TempStorage storage;
  x[threadIdx.x] = Reduce(storage).Sum(x[threadIdx.x]);
}
