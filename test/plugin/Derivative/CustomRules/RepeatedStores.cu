// Stores to views by quotients and remainders of what a loop counts, and by counters of nested loops.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O0 -c %s -o /dev/null
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;
#define DIFFERENTIABLE [[kernix::bind, kernix::differentiable]] __global__
#define FLAT(t, n) for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < (n); t += gridDim.x * blockDim.x)

// What that assumes of the sizes is asked where it runs.
// CHECK: the same element of 'y'; the derivative takes them for different ones
// CHECK-LABEL: define {{.*}}@_Z4rows
DIFFERENTIABLE void rows(const View x, View y, int n) {
  int width = x.size(1);
  FLAT(t, n)
    y[make_int2(t / width, t % width)] = x[make_int2(t / width, t % width)] * x[0];
}

// CHECK-LABEL: define {{.*}}@_Z6images
DIFFERENTIABLE void images(const View x, View y) {
  int C = x.size(0), H = x.size(1), W = x.size(2);
  FLAT(t, C * H * W)
    y[make_int3(t / (W * H), t / W % H, t % W)] = x[make_int3(t / (W * H), H - 1 - t / W % H, t % W)];
}

// CHECK-LABEL: define {{.*}}@_Z5batch
DIFFERENTIABLE void batch(const View x, View y) {
  int N = x.size(0), C = x.size(1), H = x.size(2), W = x.size(3);
  FLAT(t, N * C * H * W) {
    int w = t % W, h = t / W % H, c = t / W / H % C, n = t / W / H / C;
    y[make_int4(n, c, h, w)] = x[make_int4(n, c, h, W - 1 - w)];
  }
}

// CHECK-LABEL: define {{.*}}@_Z10in_columns
DIFFERENTIABLE void in_columns(const View x, View y, int n) {
  int width = x.size(1);
  FLAT(t, n)
    y[make_int2(t % width, t / width)] = x[make_int2(t / width, t % width)];
}

// Sizes of 64 bits, counters of 32.
// CHECK-LABEL: define {{.*}}@_Z6nested
DIFFERENTIABLE void nested(const View x, View y) {
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < x.size(0); r += gridDim.y * blockDim.y)
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < x.size(1); c += gridDim.x * blockDim.x)
      y[make_int2(r, c)] = x[make_int2(r, c)] * x[make_int2(r, 0)];
}

// That it is a step at all is asked, too.
// CHECK-LABEL: define {{.*}}@_Z5apart
DIFFERENTIABLE void apart(const View x, View y, int n, int by) {
  for (int k = 0; k < n; ++k)
    y[k * by] = x[k];
}

// Two parts of a view, at a distance that is asked for.
// CHECK-LABEL: define {{.*}}@_Z5parts
DIFFERENTIABLE void parts(const View x, View y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = x[i] * x[i];
  y[n + i] = x[i];
}

// CHECK-LABEL: define {{.*}}@_Z14parts_in_steps
DIFFERENTIABLE void parts_in_steps(const View x, View y, int n) {
  FLAT(i, n) {
    y[i] = x[i] * x[i];
    y[n + i] = x[i];
  }
}
