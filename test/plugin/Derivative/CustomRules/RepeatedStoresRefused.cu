// Stores to views that two iterations may make to one element.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;
#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__
#define FLAT(t, n) for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < (n); t += gridDim.x * blockDim.x)

// An index is missing.
BACKWARD void without_rows(const View x, View y, int n, int width) {
  FLAT(t, n)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'without_rows': one element of 'y' may be stored to twice
    y[make_int2(threadIdx.x, t % width)] = x[t];
}

// All but the last axis begin again.
BACKWARD void without_batch(const View x, View y, int n, int C, int H, int W) {
  FLAT(t, n)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'without_batch': one element of 'y' may be stored to twice
    y[make_int3(t / W / H % C, t / W % H, t % W)] = x[t];
}

// One of four axes is missing.
BACKWARD void without_channels(const View x, View y, int N, int C, int H, int W) {
  FLAT(t, N * C * H * W)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'without_channels': one element of 'y' may be stored to twice
    y[make_int3(t / W / H / C, t / W % H, t % W)] = x[t];
}

// An axis that is longer than it is taken for.
BACKWARD void short_rows(const View x, View y, int N, int C, int H, int W) {
  FLAT(t, N * C * H * W)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'short_rows': one element of 'y' may be stored to twice
    y[make_int4(t / W / H / C, t / W / H % C, t / W % (H - 1), t % W)] = x[t];
}

// Units that do not divide each other.
BACKWARD void other_units(const View x, View y, int n, int H, int W) {
  FLAT(t, n)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'other_units': one element of 'y' may be stored to twice
    y[make_int2(t / H, t % W)] = x[t];
}

// Remainders that another number has in common.
BACKWARD void sums(const View x, View y, int n, int W) {
  FLAT(t, n)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'sums': one element of 'y' may be stored to twice
    y[make_int2(0, t / W + t % W)] = x[t];
}

// An outer loop stores all of it again.
BACKWARD void again(const View x, View y, int n, int W, int times) {
  for (int k = 0; k < times; ++k)
    FLAT(t, n)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'again': one element of 'y' may be stored to twice
      y[make_int2(t / W, t % W)] = x[t] * x[k];
}

// A loop inside that moves no index.
BACKWARD void inside(const View x, View y, int n, int W, int times) {
  FLAT(t, n)
    for (int k = 0; k < times; ++k)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'inside': one element of 'y' may be stored to twice
      y[make_int2(t / W, t % W)] = x[t] * x[k];
}

// A number that may be negative.
BACKWARD void around_zero(const View x, View y, int n, int W) {
  for (int t = -n; t < n; ++t)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'around_zero': one element of 'y' may be stored to twice
    y[make_int2(t / W + n, t % W * (t % W))] = x[0];
}

// The next axis goes on where this one has come to.
BACKWARD void steps_back(const View x, View y, int n, int W) {
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < W; ++c)
      // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'steps_back': one element of 'y' may be stored to twice
      y[make_int2(0, r + c)] = x[c];
}

// Few bits of a counter.
BACKWARD void bytes(const View x, View y, int n) {
  for (int r = 0; r < n; ++r)
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'bytes': one element of 'y' may be stored to twice
    y[make_int2(threadIdx.x, static_cast<unsigned char>(r) % 16)] = x[r];
}

// From both ends: where they meet is one element.
BACKWARD void mirrored(const View x, View y, int n, int m) {
  FLAT(i, n) {
    y[i] = x[i] * x[i];
    // CHECK: Refused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'mirrored': one element of 'y' may be stored to twice
    y[m - i] = x[i];
  }
}
