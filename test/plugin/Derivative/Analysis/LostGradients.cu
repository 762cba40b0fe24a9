// -Wkernix-lost-gradient: where a derivative ends without the source having said so, once for both derivatives, at every
// optimisation level, under the control of pragmas and options.
// RUN: %cpu-device -O0 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %cpu-device -O3 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %cuda-device -O1 -S %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %cpu-device -O1 -c %s -o /dev/null -fplugin-arg-kernix-Wno-kernix-lost-gradient 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: not %cpu-device -O1 -c %s -o /dev/null -fplugin-arg-kernix-Werror=kernix-lost-gradient 2>&1 | FileCheck %s --check-prefix=ERROR
// QUIET-NOT: {{warning|note}}:
#include <kernix/kernix.h>

#define DIFFERENTIABLE [[kernix::bind, kernix::differentiable]] __global__

DIFFERENTIABLE void positiveImplicit(const float *x, float *y) {
  int level = x[0] * 255;
  // CHECK: :[[@LINE-1]]:15: warning: a derivative ends here: the number becomes an integer, and what is computed from that is a constant [-Wkernix-lost-gradient]
  // CHECK: :[[@LINE-2]]:15: note: truncf, floorf or rintf do the same without a warning, and so does a variable marked {{\[\[}}kernix::no_diff]] that holds the number
  // ERROR: :[[@LINE-3]]:15: error: a derivative ends here{{.*}} [-Werror,-Wkernix-lost-gradient]
  y[0] = level / 255.0f;
}

DIFFERENTIABLE void positiveThroughIntegers(const float *x, float *y) {
  unsigned n = static_cast<unsigned>(x[0]);
  // CHECK: :[[@LINE-1]]:38: warning: a derivative ends here
  // CHECK: note:
  n = n > 3 ? n * 2 : n + 1;
  y[0] = x[1] * n;
}

__device__ float gain = 2;
DIFFERENTIABLE void positiveVariable(const float *x, float *y) {
  y[0] = x[0] * gain;
  // CHECK: :[[@LINE-1]]:17: warning: 'gain' can be changed, and has no gradient: for the derivative it is a constant [-Wkernix-lost-gradient]
  // CHECK: :[[@LINE-2]]:17: note: pass it as a parameter to get its gradient; {{\[\[}}kernix::no_diff]] on the variable, or const, says that it is meant
}

// By way of memory of the block or the thread, and by what lanes give each other.
DIFFERENTIABLE void positiveKept(const float *x, int k, float *y) {
  __shared__ int levels[32];
  levels[threadIdx.x] = x[threadIdx.x] * 255;
  // CHECK: :[[@LINE-1]]:25: warning: a derivative ends here
  // CHECK: note:
  int table[4];
  for (int at = 0; at < 4; ++at)
    table[at] = x[at] * 10;
  // CHECK: :[[@LINE-1]]:17: warning: a derivative ends here
  // CHECK: note:
  y[threadIdx.x] = levels[31 - threadIdx.x] / 255.0f + table[k] * 0.1f;
}

// Bits of a number that is made of an integer: a fast exponential, which would be flat.
DIFFERENTIABLE void positiveBits(const float *x, float *y) {
  int bits = 12102203 * x[0] + 1064866816;
  // CHECK: :[[@LINE-1]]:14: warning: a derivative ends here
  // CHECK: note:
  y[0] = __builtin_bit_cast(float, bits);
}

// What belongs to a remainder is flat indeed. (With CUDA's library, since that is ldexp.)
#ifdef __KERNIX_CPU__
DIFFERENTIABLE void negativePowerOfTwo(const float *x, float *y) {
  int k = x[0] + 0.5f;
  y[0] = __builtin_bit_cast(float, (k + 127) << 23) * (1 + (x[0] - k) * 0.7f);
}
#endif

DIFFERENTIABLE void negativeSharedIndex(const float *x, const float *table, float *y) {
  __shared__ int at[32], counts[32];
  at[threadIdx.x] = x[threadIdx.x];
  counts[at[threadIdx.x]] = 1;
  y[threadIdx.x] = table[at[31 - threadIdx.x]] * counts[threadIdx.x];
}

DIFFERENTIABLE void negativeIndex(const float *x, const float *table, float *y) {
  int at = static_cast<int>(x[0]);
  y[0] = table[at] + (at > 3 ? x[1] : x[2]);
}

DIFFERENTIABLE void negativeRemainder(const float *x, float *y) {
  float scaled = x[0] * 8;
  int whole = static_cast<int>(scaled);
  y[0] = scaled - whole;
  int turns = static_cast<int>(x[1] / 6.28f);
  y[1] = x[1] - turns * 6.28f;
}

DIFFERENTIABLE void negativeSaid(const float *x, float *y) {
  [[kernix::no_diff]] float scaled = x[0] * 255;
  int level = scaled;
  y[0] = level / 255.0f + __builtin_floorf(x[1]);
  y[1] = x[2] > 0;
}

DIFFERENTIABLE void negativeIntegers(const float *x, int *k, float *y) {
  k[0] = x[0];
  y[threadIdx.x] = x[1] * threadIdx.x;
}

__constant__ float fixed = 2;
__device__ const float table[2] = {1, 2};
[[kernix::no_diff]] __device__ float setting = 2;
DIFFERENTIABLE void negativeVariable(const float *x, float *y) {
  y[threadIdx.x] = x[0] * fixed * table[threadIdx.x & 1] * setting;
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wkernix-lost-gradient"
DIFFERENTIABLE void negativePragma(const float *x, float *y) { y[0] = x[0] * gain; }
#pragma clang diagnostic pop
