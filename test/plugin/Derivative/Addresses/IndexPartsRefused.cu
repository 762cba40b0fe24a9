// Quotients and remainders of what a loop counts that two iterations may have in common; unsigned counters that go down.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

// An index is missing.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void without_rows(const float *x, float *y, int n, int height, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'without_rows': it cannot be shown that 'y' is stored to a different element
    y[i / (width * height) * width + i % width] = x[i] * x[i];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void without_batch(const float *x, float *y, int n, int height, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'without_batch': it cannot be shown that 'y' is stored to a different element
    y[i / width % height * width + i % width] = x[i] * x[i];
}

// One of four axes is missing.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void without_channels(const float *x, kernix::TensorView<float> y, int N, int C, int H, int W) {
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < N * C * H * W; t += gridDim.x * blockDim.x)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'without_channels': it cannot be shown that 'y' is stored to a different element
    y(t / W / H / C, t / W % H, t % W) = x[t] * x[t];
}

// The last of four axes is missing.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void without_sizes(const float *x, kernix::TensorView<float> y, int N, int C, int H, int W) {
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < N * C * H * W; t += gridDim.x * blockDim.x)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'without_sizes': it cannot be shown that 'y' is stored to a different element
    y(t / W / H % C, t / W % H, t % W) = x[t] * x[t];
}

// An axis that is longer than it is taken for.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void short_axis(const float *x, kernix::TensorView<float> y, int N, int C, int H, int W) {
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < N * C * H * W; t += gridDim.x * blockDim.x)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'short_axis': it cannot be shown that 'y' is stored to a different element
    y(t / W / H / C, t / W / H % C, t / W % (H - 1), t % W) = x[t] * x[t];
}

// A unit that is larger than what the axes below it count.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void other_batch(const float *x, kernix::TensorView<float> y, int N, int C, int H, int W) {
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < N * C * H * W; t += gridDim.x * blockDim.x)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'other_batch': it cannot be shown that 'y' is stored to a different element
    y(t / W / H / (C + 1), t / W / H % C, t / W % H, t % W) = x[t] * x[t];
}

// Remainders of a number that has no bound, and of one that is larger.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void unbounded(const float *x, kernix::TensorView<float> y, int n, int height, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'unbounded': it cannot be shown that 'y' is stored to a different element
    y(i / width % height, i % width) = x[i] * x[i];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void one_too_many(const float *x, kernix::TensorView<float> y, int height, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= height * width; i += gridDim.x * blockDim.x)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'one_too_many': it cannot be shown that 'y' is stored to a different element
    y(i / width % height, i % width) = x[i] * x[i];
}

// Rows that are too short.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void narrow_rows(const float *x, float *y, int n, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'narrow_rows': it cannot be shown that 'y' is stored to a different element
    y[i / width * (width - 1) + i % width] = x[i] * x[i];
}

// Units that do not divide each other.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void other_units(const float *x, float *y, int n, int height, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'other_units': it cannot be shown that 'y' is stored to a different element
    y[i / width * height + i % height] = x[i] * x[i];
}

// A number that may be negative.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void around_zero(const float *x, float *y, int n) {
  for (int i = -n; i < n; ++i)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'around_zero': it cannot be shown that 'y' is stored to a different element
    y[i / 4 * 8 + i % 4 + 64] = x[0] * x[0];
}

// Bits of a remainder.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void flipped_remainders(const float *x, float *y, int n, int width) {
  for (int i = 0; i < n; ++i)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'flipped_remainders': it cannot be shown that 'y' is stored to a different element
    y[(i % width ^ 5) + 64] = x[0] * x[0];
}

// An unsigned counter goes down, and the second store overtakes the first.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void unsigned_down(const float *x, float *y, int n, unsigned m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float *row = y + i * 20;
  for (unsigned k = m - 1; k < m; --k) {
    row[k] = x[i] * k;
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'unsigned_down': it cannot be shown that two stores to 'y' are to the same element or to different ones
    row[k + 1] = x[i] * x[k];
  }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void unsigned_down_in_place(const float *x, float *y, int n, unsigned m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float *row = y + i * 20;
  for (unsigned k = m - 1; k < m; --k) {
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'unsigned_down_in_place': it reads 'y' after it may have been written
    float old = row[k + 1];
    row[k + 1] = old * old;
    row[k] = x[i] + old;
  }
}

// The first element once more, in another iteration than its own.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void first_again(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = x[i] * x[i];
    if (i == 7)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'first_again': it cannot be shown that two stores to 'y' are to the same element or to different ones
      y[0] = x[i];
  }
}

// Behind a loop, or where it is left, the index is that of its last iteration.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void last_again(const float *x, const int *stop, float *y, int m) {
  for (int k = 0; k < m; ++k) {
    y[k] = x[0] * x[k];
    if (stop[k] == 3) {
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'last_again': it cannot be shown that two stores to 'y' are to the same element or to different ones
      y[k] = 2 * x[0];
      break;
    }
  }
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void behind(const float *x, const int *stop, float *y, int m) {
  int k = 0;
  for (;; ++k) {
    y[k] = x[0] * x[k];
    if (stop[k] == 3 || k >= m)
      break;
  }
  // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'behind': it cannot be shown that two stores to 'y' are to the same element or to different ones
  y[k] = 2 * x[0];
}
