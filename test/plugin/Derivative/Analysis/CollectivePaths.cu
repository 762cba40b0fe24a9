// Which lanes run together can be found again where whole warps come, threads that have returned aside.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %cpu-device -O2 -S -o /dev/null -DREFUSED %s 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not %toolkit-device -O2 -S -o /dev/null -DREFUSED %s 2>&1 | FileCheck %s --check-prefix=REFUSED
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

// CHECK-LABEL: define {{.*}}@_Z8lane_sumPKfPfi(
// CHECK: call {{.*}}@llvm.nvvm.activemask()
// CHECK-LABEL: define {{.*}}@_Z12lane_sum_bwd
// CHECK-NOT: activemask
// CHECK: call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
// CHECK-NOT: activemask
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]] __global__ void lane_sum(const float *x, float *y, int n) {
  if (I >= n)
    return;
  unsigned mask = __activemask();
  float v = x[I] * x[I];
  for (int step = 16; step > 0; step /= 2)
    v += __shfl_xor_sync(mask, v, step);
  y[I] = v * x[I];
}

// Of what no derivative depends on, nothing need be known.
// CHECK-LABEL: define {{.*}}@_Z11counted_bwd
// CHECK-NOT: activemask
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]] __global__ void counted(const float *x, int *count, float *y) {
  float v = x[I];
  if (v > 0) {
    unsigned mask = __activemask();
    if (threadIdx.x % 32 == __ffs(mask) - 1)
      atomicAdd(count, __popc(mask));
  }
  y[I] = v * v;
}

// Warps are parts of rows of this block.
// CHECK-LABEL: define {{.*}}@_Z13every_row_bwd
// CHECK-NOT: activemask
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward), kernix::block(32, 4)]]
__global__ void every_row(const float *x, float *y) {
  int i = threadIdx.y * 32 + threadIdx.x;
  float v = x[i];
  if (threadIdx.y & 1)
    v *= __popc(__activemask());
  y[i] = v * x[i];
}

#ifdef REFUSED
// REFUSED: :[[@LINE+4]]:{{[0-9]+}}: error: cannot differentiate 'some': the backward needs to know which lanes run together here, which it cannot find again: let all lanes of a warp come here, or name them with __ballot_sync before the branch
[[kernix::bind, kernix::differentiable(backward)]] __global__ void some(const float *x, float *y) {
  float v = x[I];
  if (v > 0)
    v += __shfl_xor_sync(__activemask(), v, 1);
  y[I] = v;
}

// Rows may be of 16 threads, two of which are a warp.
// REFUSED: :[[@LINE+6]]:{{[0-9]+}}: error: cannot differentiate 'rows': the backward needs to know which lanes run together here
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows(const float *x, float *y) {
  int i = threadIdx.y * blockDim.x + threadIdx.x;
  float v = x[i];
  if (threadIdx.y & 1)
    v *= __popc(__activemask());
  y[i] = v * x[i];
}

// Half of a warp.
// REFUSED: :[[@LINE+5]]:{{[0-9]+}}: error: cannot differentiate 'shifted': the backward needs to know which lanes run together here
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void shifted(const float *x, float *y) {
  float v = x[threadIdx.x];
  if ((threadIdx.x + 16) & 32)
    v *= __popc(__activemask());
  y[threadIdx.x] = v * x[threadIdx.x];
}

// Blocks may be of 48 threads.
// REFUSED: :[[@LINE+5]]:{{[0-9]+}}: error: cannot differentiate 'first': the backward needs to know which lanes run together here
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void first(const float *x, float *y) {
  float v = x[I];
  if (I < 64)
    v *= __popc(__activemask());
  y[I] = v * x[I];
}

// Of half a warp.
// REFUSED: :[[@LINE+5]]:{{[0-9]+}}: error: cannot differentiate 'half_votes': the backward needs to know which lanes run together here
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void half_votes(const float *x, float *y) {
  float v = x[I];
  if (__any_sync(threadIdx.x & 16 ? 0xffff0000u : 0xffffu, v > 0))
    v *= __popc(__activemask());
  y[I] = v * x[I];
}

// REFUSED-NOT: error:
[[kernix::bind, kernix::differentiable(backward), kernix::block(64)]]
__global__ void by_warps(const float *x, float *y) {
  float v = x[I];
  if (I / 32 % 2 && __any_sync(~0u, v > 0))
    v *= __popc(__activemask());
  y[I] = v * x[I];
}
#endif
