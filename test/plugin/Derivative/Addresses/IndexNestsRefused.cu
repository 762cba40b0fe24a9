// Nests that do not count each element once, and choices that are not the same for all iterations.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void one_too_wide(const float *x, float *y, int n, int r) {
  const int side = 2 * r + 1;
  for (int a = 0; a < side; ++a)
    for (int b = 0; b < side + 1; ++b)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'one_too_wide': it cannot be shown that 'y' is stored to a different element in each iteration of the loops around; keep the value in a local variable and store it once, use atomicAdd, or let stores take the gradient: {{\[\[}}kernix::intent(inout_ptr){{\]\]}} on 'y'; bounds of loops and strides that are template arguments are known here
      y[a * side + b] = x[a] * x[b];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void stays_sometimes(const float *x, float *y, int rows, int columns) {
  float *to = y;
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < columns; ++b) {
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'stays_sometimes'
      *to = x[b] * x[a];
      if (x[b] > 0)
        continue;
      to += 3;
    }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void ends_early(const float *x, float *y, int rows, int columns) {
  int count = 0;
  for (int a = 0; a < rows; ++a) {
    for (int b = 0; b < columns; ++b, ++count) {
      if (x[b] > 0)
        break;
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'ends_early'
      y[count] = x[b] * x[a];
    }
    count -= 2;
  }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void some_rows(const float *x, float *y, int rows, int columns) {
  float *to = y;
  for (int a = 0; a < rows; ++a) {
    if (x[a] > 0)
      for (int b = 0; b < columns; ++b)
        // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'some_rows'
        *to++ = x[b] * x[a];
    to -= 2;
  }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void begins_again(const float *x, float *y, int rows, int columns) {
  int count = 0;
  for (int a = 0; a < rows; ++a) {
    for (int b = 0; b < columns; ++b, ++count)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'begins_again'
      y[count] = x[b] * x[a];
    if (x[a] > 0)
      count = 0;
  }
}

// What is the same in all iterations of the loop in the middle is not in those of the outer one.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void every_other_plane(const float *x, float *y, int planes, int rows, int columns) {
  float *to = y;
  for (int k = 0; k < planes; ++k)
    for (int a = 0; a < rows; ++a)
      if (k & 1) {
        to = y;
      } else {
        for (int b = 0; b < columns; ++b)
          // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'every_other_plane'
          *to++ = x[k];
      }
}

// The pointer moves in the inner loop, which may not run.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void behind_the_loop(const float *x, float *y, int rows, int columns, bool moves) {
  float *to = y;
  for (int a = 0; a < rows; ++a) {
    if (moves)
      for (int b = 0; b < columns; ++b)
        to += static_cast<int>(x[b]) ? 1 : 1;
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'behind_the_loop'
    *to = x[a] * x[a];
  }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void either_by_row(const float *x, float *y, int half) {
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    int a = x[i] > 0 ? i : 2 * i;
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'either_by_row'
    y[a] = x[a] * x[i];
  }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void right_in_one_way(const float *x, float *y, int half, bool halves) {
  for (int i = 0; i < half; ++i) {
    int a = halves ? i : 2 * i, b = halves ? i + 1 : 2 * i + 1;
    y[a] = x[a] * x[b];
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'right_in_one_way'
    y[b] = x[a];
  }
}

// Nobody has rows that are shorter than their own multiples.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_over_rows(const float *x, float *y, int width, int r) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int a = 0; a < r; ++a)
    for (int b = 0; b < 2 * r * width + width; ++b)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'rows_over_rows'
      y[a * width + b + i] = x[a] * x[b];
}
