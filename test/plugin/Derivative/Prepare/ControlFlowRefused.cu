// Ways through a function that cannot be taken backwards.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-host -DHOST -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST --implicit-check-not=error:
#include <kernix/kernix.h>

#ifndef HOST
// CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'chosen_by_label': it jumps to a computed label; use switch
[[kernix::bind, kernix::differentiable(backward)]] __global__ void chosen_by_label(const float *x, float *y, int n) {
  static void *const labels[] = {&&doubled, &&squared};
  float v = x[threadIdx.x];
  goto *labels[n % 2];
doubled:
  v *= 2;
  goto end;
squared:
  v *= v;
end:
  y[threadIdx.x] = v;
}

__device__ float either(float v, int n) {
  static void *const labels[] = {&&squared, &&unchanged};
  goto *labels[n & 1];
squared:
  return v * v;
unchanged:
  return v;
}
// CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'called_by_label': it jumps to a computed label; use switch
[[kernix::bind, kernix::differentiable(backward)]] __global__ void called_by_label(const float *x, float *y, int n) {
  y[threadIdx.x] = either(x[threadIdx.x], n);
}

[[kernix::bind, kernix::differentiable(backward)]] __global__ void into_a_loop(const float *x, float *y, int n) {
  float v = x[threadIdx.x];
  int k = 0;
  if (n > 7)
    goto inside;
again:
  // CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'into_a_loop': goto jumps into a loop: the control flow is irreducible; write it with for, while, break and continue
  v *= v;
inside:
  v += 1;
  if (++k < n)
    goto again;
  y[threadIdx.x] = v;
}

// These are fine: a switch, and a goto that leaves a loop.
[[kernix::bind, kernix::differentiable(backward)]] __global__ void positive(const float *x, float *y, int n) {
  float v = x[threadIdx.x];
  switch (n % 3) {
  case 0:
    v *= 2;
  case 1:
    v *= v;
  }
  for (int k = 0; k < n; ++k) {
    if (v > 100)
      goto end;
    v *= v;
  }
end:
  y[threadIdx.x] = v;
}
#else
[[kernix::bind, kernix::differentiable]] double of_positive(double x) {
  if (x < 0)
    // HOST: :[[#@LINE+1]]:5: error: cannot differentiate 'of_positive': it may throw an exception here: what is differentiated must be noexcept
    throw 1;
  return x * x;
}

[[kernix::bind, kernix::differentiable]] double said(double x) noexcept { return x * x; }
#endif
