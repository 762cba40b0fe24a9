// Indices as they are written: signed numbers and unsigned ids in one sum. An unsigned sum has no flag that says that it
// does not wrap around; its parts and the launch do.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S -fplugin-arg-kernix-Rkernix %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable(backward)]] __global__ void

// CHECK: 'rows': gradient of 'x': added without atomic operations where{{.*}} 0 <= -blockDim.x + 128,{{.*}} 0 <= -128 * rows - 128 * gridDim.x - blockDim.x + 2147483776
KERNEL rows(const float *x, float *y, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x)
    y[row * 128 + threadIdx.x] = sinf(x[row * 128 + threadIdx.x]);
}
// CHECK: 'wide_rows': gradient of 'x': added without atomic operations where
KERNEL wide_rows(const float *x, float *y, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x)
    y[row * blockDim.x + threadIdx.x] = sinf(x[row * blockDim.x + threadIdx.x]);
}
// CHECK: 'row_of_block': gradient of 'x': added without atomic operations where{{.*}} 0 <= -gridDim.x * n - blockDim.x + 2147483648
KERNEL row_of_block(const float *x, float *y, int n) {
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    y[blockIdx.x * n + j] = sinf(x[blockIdx.x * n + j]);
}
// CHECK: 'as_signed': gradient of 'x': added without atomic operations where
KERNEL as_signed(const float *x, float *y, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const int i = row * blockDim.x + threadIdx.x;
    y[i] = sinf(x[i]);
  }
}
// Four elements of each thread, 256 apart: the loop is unrolled.
// CHECK: 'four_apart': gradient of 'x': added without atomic operations where{{.*}} 0 <= -blockDim.x + 256
KERNEL four_apart(const float *x, float *y, int n) {
  const int base = blockIdx.x * 1024;
  for (int k = 0; k < 4; ++k) {
    const int i = base + k * 256 + threadIdx.x;
    if (i < n)
      y[i] = sinf(x[i]);
  }
}
// Half as far apart, two blocks meet.
// CHECK: 'two_blocks_meet': gradient of 'x': added by atomic operations
KERNEL two_blocks_meet(const float *x, float *y, int n) {
  const int base = blockIdx.x * 512;
  for (int k = 0; k < 4; ++k) {
    const int i = base + k * 256 + threadIdx.x;
    if (i < n)
      atomicAdd(&y[i], sinf(x[i]));
  }
}
// A row that goes down, one that nothing bounds, and a number of 16 bits, which wraps around.
// CHECK: 'down': gradient of 'x': added by atomic operations
KERNEL down(const float *x, float *y, int rows) {
  for (int row = rows - 1 - blockIdx.x; row >= 0; row -= gridDim.x)
    y[row * blockDim.x + threadIdx.x] = sinf(x[row * blockDim.x + threadIdx.x]);
}
// CHECK: 'until_marked': gradient of 'x': added by atomic operations
KERNEL until_marked(const float *x, const int *marks, float *y) {
  for (int row = blockIdx.x; !marks[row]; row += gridDim.x)
    y[row * blockDim.x + threadIdx.x] = sinf(x[row * blockDim.x + threadIdx.x]);
}
// CHECK: 'short_number': gradient of 'x': added by atomic operations
KERNEL short_number(const float *x, float *y, int rows) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const unsigned short i = row * 128 + threadIdx.x;
    atomicAdd(&y[i], sinf(x[i]));
  }
}
