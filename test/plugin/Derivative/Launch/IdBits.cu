// Stores that several threads of a warp make, or several blocks: each thread would take the element's whole gradient.
// REQUIRES: cpu
// RUN: %cpu-device -O1 -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s --input-file %t.ll
// RUN: grep '@kernix_launch_facts_.*, i32 [1-9][0-9]* }, align' %t.ll > %t.facts
// RUN: FileCheck --check-prefix=FACTS --implicit-check-not=@kernix %s --input-file %t.facts
// RUN: not %cpu-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=REFUSED --implicit-check-not=error: %s
#include <kernix/diff_tensor_view.h>
#include <kernix/kernix.h>
#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__ void
constexpr unsigned All = 0xffffffffu;

__device__ float sumOfWarp(float v) {
  for (int offset = 16; offset; offset /= 2)
    v += __shfl_xor_sync(All, v, offset);
  return v;
}

#ifndef REFUSED
// One lane stores, however the lane is written and whatever else is asked.
// CHECK-DAG: define {{.*}}by_a_lane_bwd
BACKWARD by_a_lane(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, warp = i / 32, lane = i % 32;
  float s = sumOfWarp(x[i]);
  if (warp < n && !lane)
    y[warp] = s;
}
// CHECK-DAG: define {{.*}}by_bits_bwd
BACKWARD by_bits(const float *x, float *y) {
  unsigned t = threadIdx.x, lane = t & 31, warp = t >> 5;
  float s = sumOfWarp(x[t]);
  if ((lane ^ 3) == 3)
    y[blockIdx.x * (blockDim.x >> 5) + warp] = s;
}
// CHECK-DAG: define {{.*}}rows_in_turn_bwd
BACKWARD rows_in_turn(const float *x, float *y, int rows, int columns) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  for (int row = warp; row < rows; row += gridDim.x * blockDim.x / 32) {
    float s = 0;
    for (int c = lane; c < columns; c += 32)
      s += x[row * columns + c];
    s = sumOfWarp(s);
    if (lane == 0)
      y[row] = s;
  }
}
// CHECK-DAG: define {{.*}}by_columns_bwd
BACKWARD by_columns(const float *x, float *y, int columns) {
  int row = threadIdx.x / 32;
  for (int c = threadIdx.x % 32; c < columns; c += 32)
    y[row * columns + c] = x[row * columns + c];
}
// CHECK-DAG: define {{.*}}of_a_linear_id_bwd
BACKWARD of_a_linear_id(const float *x, float *y) {
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  if (t % 32 == 0)
    y[t / 32] = x[t];
}
// CHECK-DAG: define {{.*}}of_twelve_bwd
BACKWARD of_twelve(const float *x, float *y) { y[threadIdx.x / 12 * 16 + threadIdx.x % 12] = x[threadIdx.x]; }
// CHECK-DAG: define {{.*}}of_blocks_bwd
BACKWARD of_blocks(const float *x, float *y) {
  int group = blockIdx.x / 32, inner = blockIdx.x % 32;
  if (threadIdx.x == 0)
    y[(group * 4 + inner % 4) * 8 + inner / 4] = x[blockIdx.x];
}
// The last thread of a row, as data say where it ends.
// CHECK-DAG: define {{.*}}at_ends_bwd
BACKWARD at_ends(const float *x, float *y, const int *ends) {
  int row = threadIdx.x / 32;
  if (threadIdx.x + 1 >= ends[row])
    y[row] = x[threadIdx.x];
}
// CHECK-DAG: define {{.*}}of_a_lane_in_memory_bwd
BACKWARD of_a_lane_in_memory(const float *x, float *y, const int *lanes) {
  if (threadIdx.x % 32 == lanes[threadIdx.x / 32])
    y[threadIdx.x / 32] = x[threadIdx.x];
}
// One warp, and a lane of it.
// CHECK-DAG: define {{.*}}by_the_first_warp_bwd
BACKWARD by_the_first_warp(const float *x, float *y) {
  float s = sumOfWarp(x[threadIdx.x]);
  if (threadIdx.x < 32)
    if (threadIdx.x % 32 == 0)
      y[blockIdx.x] = s;
}
// CHECK-DAG: define {{.*}}by_one_of_the_warps_bwd
BACKWARD by_one_of_the_warps(const float *x, float *y) {
  float s = x[threadIdx.x];
  if (threadIdx.x < blockDim.x / 32 && threadIdx.x % 32 == 0)
    y[blockIdx.x] = s;
}

// A lane of every warp, an element of every eighth thread, one of 16 blocks: the launch is asked.
// FACTS-DAG: @kernix_launch_facts_{{.*}}, i32 5 }
BACKWARD by_all_warps(const float *x, float *y) {
  float s = sumOfWarp(x[threadIdx.x]);
  if (threadIdx.x % 32 == 0)
    y[blockIdx.x] = s;
}
// FACTS-DAG: @kernix_launch_facts_{{.*}}, i32 131075 }
BACKWARD in_rounds(const float *x, float *y) {
  y[(blockIdx.x & 15) * 8 + (threadIdx.x & 7)] = x[threadIdx.x];
}

#else
// REFUSED: :[[@LINE+4]]:13: error: cannot differentiate 'by_all_lanes': threads next to each other along threadIdx.x store to one element of 'y', and each would take its whole gradient; guard the store so that one thread does it, or use atomicAdd
BACKWARD by_all_lanes(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, warp = i / 32;
  if (float s = sumOfWarp(x[i]); i < n)
    y[warp] = s;
}
// REFUSED: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'by_twelve': threads next to each other along threadIdx.x
BACKWARD by_twelve(const float *x, float *y) { y[threadIdx.x / 12] = x[0]; }
// REFUSED: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'by_two': threads next to each other along threadIdx.x
BACKWARD by_two(const float *x, float *y) { if (threadIdx.x % 32 < 2) y[threadIdx.x / 32] = x[0]; }
// REFUSED: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'cleared_bits': threads next to each other along threadIdx.x
BACKWARD cleared_bits(const float *x, float *y) { y[threadIdx.x & ~7u] = x[threadIdx.x]; }
// REFUSED: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'by_four_blocks': blocks next to each other along blockIdx.x store to one element of 'y', and each would take its whole gradient; guard the store so that one thread does it, or use atomicAdd
BACKWARD by_four_blocks(const float *x, float *y) { if (threadIdx.x == 0) y[blockIdx.x / 4] = x[0]; }
// REFUSED: :[[@LINE+3]]:{{[0-9]+}}: error: cannot differentiate 'in_turn': threads next to each other along threadIdx.x
BACKWARD in_turn(const float *x, float *y, int rows) {
  for (int row = threadIdx.x / 32; row < rows; row += blockDim.x / 32)
    y[row] = x[row];
}
// REFUSED: :[[@LINE+2]]:{{[0-9]+}}: error: cannot differentiate 'by_views': threads next to each other along threadIdx.x store to one element of 'y', and each would take its whole gradient; guard the call so that one thread does it, or atomicAdd to a kernix::TensorView
BACKWARD by_views(const float *x, kernix::DiffTensorViewAA<float> y) {
  y.store(threadIdx.x / 32, x[0]);
}
#endif
