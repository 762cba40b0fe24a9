// Local arrays that change in a reversed loop are kept for each of its iterations: not more of them than fit.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__

template <int N> struct Numbers {
  float values[N];
  __device__ explicit Numbers(float x) {
    for (float &value : values)
      value = x;
  }
  __device__ void multiply(int k) { values[(k + 1) % N] *= values[k % N]; }
};

BACKWARD void negative(const float *x, float *y, int n) {
  Numbers<4096> t(x[threadIdx.x]);
  // CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'negative': this loop changes local arrays of 16384 bytes that its later iterations read, too many to keep for each iteration; use smaller arrays, or bound the loop with {{\[\[}}kernix::max_iters(N)]]
  for (int k = 0; k < n; ++k)
    t.multiply(k);
  y[threadIdx.x] = t.values[n % 4096];
}

BACKWARD void negativeBound(const float *x, float *y, int n) {
  Numbers<4096> t(x[threadIdx.x]);
  // CHECK: :[[#@LINE+2]]:3: error: cannot differentiate 'negativeBound': this loop changes local arrays of 16384 bytes
  [[kernix::max_iters(5)]]
  for (int k = 0; k < n; ++k)
    t.multiply(k);
  y[threadIdx.x] = t.values[n % 4096];
}

BACKWARD void positiveBound(const float *x, float *y, int n) {
  Numbers<4096> t(x[threadIdx.x]);
  [[kernix::max_iters(4)]]
  for (int k = 0; k < n; ++k)
    t.multiply(k);
  y[threadIdx.x] = t.values[n % 4096];
}

BACKWARD void positiveSmall(const float *x, float *y, int n) {
  Numbers<16> t(x[threadIdx.x]);
  for (int k = 0; k < n; ++k)
    t.multiply(k);
  y[threadIdx.x] = t.values[n % 16];
}
