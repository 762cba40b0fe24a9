// What a thread reads behind a barrier, of a tensor that the kernel writes, must be what it has written itself.
// REQUIRES: cpu
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %cpu-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=REFUSED --implicit-check-not=error: %s
#include <kernix/diff_tensor_view.h>
#include <kernix/kernix.h>

#ifndef REFUSED
// CHECK-DAG: define {{.*}}rows_in_turn_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_in_turn(float *x, int rows) {
  __shared__ float s[256];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float v = x[row * blockDim.x + threadIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    x[row * blockDim.x + threadIdx.x] = v * s[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
  }
}

// Rows of 16 are the threads' own in blocks that are no wider, which is asked at the launch.
// CHECK-DAG: define {{.*}}rows_of_sixteen_bwd
// CHECK-DAG: another thread may have written what is read behind a barrier
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_sixteen(float *x, int rows) {
  for (int row = 0; row < rows; ++row) {
    float v = x[row * 16 + threadIdx.x];
    __syncthreads();
    x[row * 16 + threadIdx.x] = v * v;
    __syncthreads();
  }
}

// Steps that are unrolled store rows as wide as such a block.
// CHECK-DAG: define {{.*}}steps_of_sixteen_bwd
// CHECK-DAG: another thread may have stored before a barrier what is stored behind it
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void steps_of_sixteen(const float *x, float *y) {
  __shared__ float s[16];
  float v = x[threadIdx.x];
#pragma unroll
  for (int step = 0; step < 3; ++step) {
    s[threadIdx.x] = v;
    __syncthreads();
    v = v * s[15 - threadIdx.x];
    y[16 * step + threadIdx.x] = v;
    __syncthreads();
  }
}

// What nobody stores twice, and what begins as a constant.
// CHECK-DAG: define {{.*}}stored_in_turn_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void stored_in_turn(const float *x, float *y, float *z) {
  __shared__ float s[256];
  y[2 * threadIdx.x] = s[threadIdx.x] = x[threadIdx.x];
  z[threadIdx.x] = 0;
  __syncthreads();
  y[2 * threadIdx.x + 1] = s[255 - threadIdx.x];
  z[threadIdx.x + 1] = x[threadIdx.x];
}

// Rows of a view, by one index and by two, and one element for each row.
// CHECK-DAG: define {{.*}}view_rows_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void view_rows(const float *x, kernix::DiffTensorViewAA<float> y, kernix::DiffTensorViewAA<float> z,
                          kernix::DiffTensorViewAA<float> sums, int rows) {
  __shared__ float s[64];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    s[threadIdx.x] = x[row * 64 + threadIdx.x];
    __syncthreads();
    y.store(row * blockDim.x + threadIdx.x, s[63 - threadIdx.x]);
    z.store(make_int2(row, threadIdx.x), s[63 - threadIdx.x]);
    if (threadIdx.x == 0)
      sums.store(row, s[1] * s[2]);
    __syncthreads();
  }
}

// Rows of 16 in a view: how wide the block is is asked.
// CHECK-LABEL: define {{.*}}view_rows_of_sixteen_bwd
// CHECK: icmp {{.*}}, 17
// CHECK-LABEL: define {{.*}}cleared_view_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void view_rows_of_sixteen(const float *x, kernix::DiffTensorViewAA<float> y, int rows) {
  for (int row = 0; row < rows; ++row) {
    y.store(16 * row + threadIdx.x, x[threadIdx.x] * row);
    __syncthreads();
  }
}

// A warp for each row: how many warps there are is computed, and whether that is all of them is asked.
// CHECK-LABEL: define {{.*}}rows_of_warps_bwd
// CHECK: %[[ROUNDED:.*]] = add {{.*}}, 31
// CHECK: lshr {{.*}}%[[ROUNDED]], 5
// CHECK-LABEL: define {{.*}}sums_of_warps_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_of_warps(const float *x, float *y, int rows, int columns) {
  int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int row = blockIdx.x * warps + warp; row < rows; row += gridDim.x * warps) {
    for (int c = lane; c < columns; c += 32)
      y[row * columns + c] = x[c] * row;
    __syncwarp();
  }
}

// One lane stores for its warp; digits of twelve; a row of the block transposed.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void sums_of_warps(const float *x, float *y, float *z, kernix::DiffTensorViewAA<float> w, int rows) {
  for (int row = 0; row < rows; ++row) {
    if (threadIdx.x % 32 == 0)
      y[2 * row + threadIdx.x / 32] = x[threadIdx.x] * row;
    z[row * 48 + threadIdx.x % 12 * 4 + threadIdx.x / 12] = x[threadIdx.x] * row;
    w.store(make_int2(2 * row + threadIdx.x / 32, threadIdx.x & 31), x[threadIdx.x] * row);
    __syncthreads();
  }
}

// Which thread stores is in memory: one for each row, of which no two are one element.
// CHECK-LABEL: define {{.*}}labelled_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void labelled(const float *x, const int *labels, float *y, kernix::DiffTensorViewAA<float> z, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    if (threadIdx.x == labels[row]) {
      y[row] = x[threadIdx.x] * row;
      z.store(make_int2(row, 0), x[threadIdx.x] * row);
    }
    __syncthreads();
  }
}

// A view is cleared by others than those that fill it: zeros have no gradient. Nor do two views meet.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void cleared_view(const float *x, kernix::DiffTensorViewAA<float> y, kernix::DiffTensorViewAA<float> z) {
  if (threadIdx.x < 16)
    z.store(threadIdx.x, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x >= 16)
    y.store(threadIdx.x - 16, x[threadIdx.x]);
}

// Every third element is read, and others are written.
// CHECK-DAG: define {{.*}}interleaved_bwd
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void interleaved(float *x, float *y) {
  x[3 * threadIdx.x + 1] = 1;
  __syncthreads();
  y[threadIdx.x] = x[3 * threadIdx.x] * x[3 * threadIdx.x];
}
#else
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void of_the_neighbour(float *x, const float *y) {
  x[threadIdx.x + 1] = y[threadIdx.x];
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'of_the_neighbour': it reads 'x' behind a barrier, where another thread may have written, and the backward would not find that value; exchange it in shared memory
  float v = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = v * v;
}

// Nor is it what the thread has stored there itself before.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void replaced_by_the_neighbour(float *x, const float *y, float *z) {
  x[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  x[threadIdx.x + 1] = 2 * y[threadIdx.x];
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'replaced_by_the_neighbour': it reads 'x'
  z[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}

// What a thread reads in an iteration, its neighbour has written in the one before.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void sliding(float *x, int steps) {
  for (int k = 0; k < steps; ++k) {
    // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'sliding': it reads 'x' behind a barrier
    float v = x[k + threadIdx.x];
    __syncthreads();
    x[k + threadIdx.x] = v * v;
    __syncthreads();
  }
}

// A barrier that stands behind a branch.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void waiting_sometimes(const float *x, int *order, float *y, int waits) {
  order[threadIdx.x + 1] = threadIdx.x / 2;
  if (waits)
    __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'waiting_sometimes': it reads memory behind a barrier
  y[threadIdx.x] = x[order[threadIdx.x]] * x[threadIdx.x];
}

// What writes it may be more than one access.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void set_to_zero(const float *x, int *order, float *y) {
  if (threadIdx.x == 0)
    memset(order, 0, 256 * sizeof(int));
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'set_to_zero': it reads memory behind a barrier
  y[threadIdx.x] = x[order[threadIdx.x]] * x[threadIdx.x];
}

// A byte that wraps around is no multiple of three any more.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void by_bytes(float *x, float *y) {
  unsigned char k = 3 * threadIdx.x;
  if (threadIdx.x < 3)
    x[k + 2] = 1;
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'by_bytes': it reads 'x' where another thread may write
  y[threadIdx.x] = x[k + 1] * x[k + 1];
}

// Of two threads that store to one element the second counts, and a cotangent belongs to both.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void stored_by_the_neighbour(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'stored_by_the_neighbour': it stores to 'y' behind a barrier where another thread may have stored before
  y[threadIdx.x + 1] = x[threadIdx.x] * x[threadIdx.x];
}

// In the next iteration as well.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void stored_by_the_neighbour_in_turn(const float *x, float *y, int steps) {
  for (int step = 0; step < steps; ++step) {
    // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'stored_by_the_neighbour_in_turn': it stores to 'y' behind a barrier where another thread may have stored before
    y[threadIdx.x + step] = step * x[threadIdx.x];
    __syncthreads();
  }
}

// An index that is not understood may be that of another thread: here it is.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void stored_by_the_upper_half(const float *x, float *y) {
  if (threadIdx.x < 16)
    y[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= 16)
    // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'stored_by_the_upper_half': it stores to 'y' behind a barrier where another thread may have stored before
    y[threadIdx.x - 16] = 2 * x[threadIdx.x];
}

// By a view.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void view_of_the_neighbour(const float *x, kernix::DiffTensorViewAA<float> y) {
  y.store(threadIdx.x, x[threadIdx.x]);
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'view_of_the_neighbour': 'store_at' stores behind a barrier where another thread may have stored before, and both values would have a gradient; store each element once
  y.store(threadIdx.x + 1, x[threadIdx.x] * x[threadIdx.x]);
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void view_in_turn(const float *x, kernix::DiffTensorViewAA<float> y, int steps) {
  for (int step = 0; step < steps; ++step) {
    // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'view_in_turn': 'store_at' stores behind a barrier
    y.store(threadIdx.x + step, step * x[threadIdx.x]);
    __syncthreads();
  }
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void view_of_the_upper_half(const float *x, kernix::DiffTensorViewAA<float> y) {
  if (threadIdx.x < 16)
    y.store(threadIdx.x, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x >= 16)
    // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'view_of_the_upper_half': 'store_at' stores behind a barrier
    y.store(threadIdx.x - 16, 2 * x[threadIdx.x]);
}

// What a warp stores, the one before it stores in the next iteration.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void overlapping_warps(const float *x, float *y, int rows) {
  for (int row = 0; row < rows; ++row) {
    // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'overlapping_warps': it stores to 'y' behind a barrier
    y[(row + threadIdx.x / 32) * 40 + threadIdx.x % 32] = x[threadIdx.x] * row;
    __syncthreads();
  }
}

// All warps store one row.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void same_lanes(const float *x, float *y, int rows) {
  for (int row = 0; row < rows; ++row) {
    // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'same_lanes': it stores to 'y' behind a barrier
    y[row * 32 + (threadIdx.x & 31)] = x[threadIdx.x] * row;
    __syncthreads();
  }
}

// Which thread stores is in memory, but each row is stored several times, or beside the next one.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void labelled_again(const float *x, const int *labels, float *y, int rows) {
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k < 3; ++k) {
      if (threadIdx.x == labels[row + k])
        // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'labelled_again': it stores to 'y' behind a barrier
        y[row] = x[threadIdx.x] * k;
      __syncthreads();
    }
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void labelled_in_between(const float *x, const int *labels, float *y, int rows) {
  for (int row = 0; row < rows; ++row) {
    if (threadIdx.x == labels[row])
      y[row] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == labels[row + 1])
      // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'labelled_in_between': it stores to 'y' behind a barrier
      y[row] = x[threadIdx.x] * row;
    __syncthreads();
  }
}

// The first lanes of all warps store one element, whatever the launch.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void first_lanes(const float *x, float *y, int rows) {
  for (int row = 0; row < rows; ++row) {
    if (threadIdx.x % 32 == 0)
      // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'first_lanes': it stores to 'y' behind a barrier
      y[row] = x[threadIdx.x] * row;
    __syncthreads();
  }
}

// Some of the bits only.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void spread_bits(const float *x, float *y, int rows) {
  for (int row = 0; row < rows; ++row) {
    // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'spread_bits': it stores to 'y' behind a barrier
    y[row * 128 + (threadIdx.x & 48) * 2 + (threadIdx.x & 15)] = x[threadIdx.x] * row;
    __syncthreads();
  }
}

// Of memory that has no gradient as well.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void permuted(const float *x, int *order, float *y) {
  order[threadIdx.x + 1] = threadIdx.x / 2;
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'permuted': it reads memory behind a barrier
  y[threadIdx.x] = x[order[threadIdx.x]] * x[threadIdx.x];
}
#endif
