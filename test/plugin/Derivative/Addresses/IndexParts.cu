// Stores to elements whose indices are quotients and remainders of what a loop counts.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// CHECK-LABEL: define {{.*}}@_Z16channels_of_last
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void channels_of_last(const float *x, float *y, int n, int channels, int height, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int w = i % width, h = i / width % height, c = i / (width * height) % channels, b = i / (width * height * channels);
    y[((b * height + h) * width + w) * channels + c] = x[i] * x[i];
  }
}

// CHECK-LABEL: define {{.*}}@_Z15remainder_first
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void remainder_first(const float *x, float *y, int n, int channels, int size) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned place = i % (size * channels), b = i / (size * channels);
    y[(b * size + place % size) * channels + place / size] = x[i] * x[i];
  }
}

// A window that a pointer steps through, and two parts of a row.
// CHECK-LABEL: define {{.*}}@_Z7columns
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void columns(const float *x, float *y, int n, int height, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int w = i % width, h = i / width % height, c = i / width / height;
    float *to = y + (c * 9 * height + h) * width + w;
    for (int k = 0; k < 9; ++k) {
      *to = x[i] * x[k];
      to += height * width;
    }
  }
}

// CHECK-LABEL: define {{.*}}@_Z6halves
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void halves(const float *x, float *y, int n, int half) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int d = i % half, row = i / half;
    y[row * 2 * half + d] = x[i] * x[i];
    y[row * 2 * half + half + d] = x[i] * 2;
  }
}

// That `height * width` is not less than n is asked where it runs.
// CHECK-LABEL: define {{.*}}@_Z10transposed
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void transposed(const float *x, float *y, int n, int height, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i % width * height + i / width] = x[i] * x[i];
}

// Four axes, whose product bounds the loop.
// CHECK-LABEL: define {{.*}}@_Z5batch
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void batch(kernix::TensorView<const float> x, kernix::TensorView<float> y) {
  int N = x.size(0), C = x.size(1), H = x.size(2), W = x.size(3);
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < N * C * H * W; t += gridDim.x * blockDim.x) {
    int w = t % W, h = t / W % H, c = t / (W * H) % C, n = t / W / H / C;
    y(n, c, h, w) = x(n, c, H - 1 - h, w);
  }
}

// CHECK-LABEL: define {{.*}}@_Z12step_by_step
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void step_by_step(const float *x, float *y, int B, int M, int K, int C) {
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < B * M * K * C; t += gridDim.x * blockDim.x) {
    int rest = t;
    int c = rest % C;
    rest /= C;
    int k = rest % K;
    rest /= K;
    int m = rest % M, b = rest / M;
    y[((b * M + m) * K + k) * C + c] = x[t] * x[t];
  }
}

// A remainder by the last size takes nothing away.
// CHECK-LABEL: define {{.*}}@_Z15remainders_only
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void remainders_only(const float *x, kernix::TensorView<float> y, int B, int M, int K, int C) {
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < B * M * K * C; t += gridDim.x * blockDim.x)
    y(t / (C * K * M) % B, t / (C * K) % M, t / C % K, t % C) = x[t] * x[t];
}

// A thread's own part of the number, which a minimum ends.
// CHECK-LABEL: define {{.*}}@_Z14part_of_number
// CHECK-LABEL: define {{.*}}@_Z14part_of_matrix
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void part_of_number(kernix::TensorView<const float> x, kernix::TensorView<float> y, int part) {
  int columns = x.size(1), start = (blockIdx.x * blockDim.x + threadIdx.x) * part;
  for (int i = start; i < min(start + part, static_cast<int>(x.numel())); ++i)
    y(i / columns, i % columns) = x(i / columns, i % columns) * x(0, 0);
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void part_of_matrix(const float *x, float *y, int part, int rows, int columns) {
  int start = (blockIdx.x * blockDim.x + threadIdx.x) * part, end = min(rows * columns, start + part);
  for (int i = start; i < end; ++i)
    y[i % columns * rows + i / columns] = x[i] * x[i];
}

// Two rows for a warp: what the lane adds is computed in the loop, the same in all iterations.
// CHECK-LABEL: define {{.*}}@_Z12rows_by_lane
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows_by_lane(const float *x, float *y, int rows) {
  int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  for (int pair = warp; pair < (rows + 1) / 2; pair += (gridDim.x * blockDim.x) >> 5) {
    int row = 2 * pair + (lane >> 4);
    if (row < rows)
      y[row * 16 + (lane & 15)] = x[row * 16 + (lane & 15)] * x[0];
  }
}
