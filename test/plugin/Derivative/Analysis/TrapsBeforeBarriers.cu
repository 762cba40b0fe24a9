// A check that ends in a trap before a barrier is named: what -fsanitize-trap makes is nowhere in the source.
// RUN: not %cpu-device -O1 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-device -O1 -DSANITIZED -fsanitize=alignment -fsanitize-trap=all -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SANITIZED --implicit-check-not=error:
// RUN: %cpu-device -O1 -DSANITIZED -fsanitize=object-size -fsanitize-trap=all -c %s -o /dev/null 2>&1 | count 0
// RUN: %cpu-device -O1 -DSANITIZED -fsanitize=object-size -c %s -o /dev/null 2>&1 | count 0
// RUN: %cpu-device -O1 -DSANITIZED -c %s -o /dev/null 2>&1 | count 0
// REQUIRES: cpu
#include <kernix/kernix.h>

#ifdef SANITIZED
[[kernix::bind, kernix::differentiable]] __global__ void sanitized(const float *x, const float *z, float *y) {
  __shared__ float a[64], b[64];
  int t = threadIdx.x;
  a[t] = x[t];
  b[t] = z[t] * z[t];
  __syncthreads();
  // SANITIZED: :[[#@LINE-1]]:3: error: cannot differentiate 'sanitized': the threads of a block may come to this barrier on different ways: a check before it ends in a trap; use assert() in place of __trap(), and compile without -fsanitize-trap and -fno-sanitize-recover
  y[t] = a[31 - t] * b[(t + 1) % 32];
}
#else
[[kernix::bind, kernix::differentiable]] __global__ void traps(const float *x, float *y, int n) {
  __shared__ float a[64];
  int t = threadIdx.x;
  a[t] = x[t];
  if (t > n)
    __trap();
  __syncthreads();
  // CHECK: :[[#@LINE-1]]:3: error: cannot differentiate 'traps': the threads of a block may come to this barrier on different ways: a check before it ends in a trap; use assert()
  y[t] = a[31 - t] * x[t];
}
[[kernix::bind, kernix::differentiable]] __global__ void branches(const float *x, float *y, int n) {
  __shared__ float a[64];
  int t = threadIdx.x;
  a[t] = x[t];
  if (t > n)
    __syncthreads();
  // CHECK: :[[#@LINE-1]]:5: error: cannot differentiate 'branches': the threads of a block may come to this barrier on different ways: a branch or a loop around it depends on the thread; let all threads reach it
  y[t] = a[31 - t] * x[t];
}
[[kernix::bind, kernix::differentiable]] __global__ void positive(const float *x, float *y, int n) {
  __shared__ float a[64];
  int t = threadIdx.x;
  a[t] = x[t];
  assert(t <= n);
  __syncthreads();
  y[t] = a[31 - t] * x[t];
}
#endif
