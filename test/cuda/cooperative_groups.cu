// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// CHECK: .entry {{.*}}groups
// CHECK: shfl.sync
__global__ void groups(int *x) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  __shared__ int buffer[256];
  cg::memcpy_async(block, buffer, x, sizeof buffer);
  cg::wait(block);
  int value = cg::reduce(tile, buffer[block.thread_rank()], cg::plus<int>()) + tile.shfl_down(3, 1);
  if (threadIdx.x % 3 == 0)
    value += cg::coalesced_threads().size();
  x[block.thread_rank()] = cg::inclusive_scan(tile, value);
  cg::this_grid().sync();
}
