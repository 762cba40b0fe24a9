// The functions of the CPU target's own headers are instructions, too, where no rule stands above their calls.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

__device__ float negativeEarly(float x) { return tanhf(x); }
// CHECK: :[[@LINE+1]]:3: error: 'tanhf' has been called without its derivative: declare it above the calls
[[kernix::backward_derivative_of(tanhf)]] __device__ void tanhBackward(float x, float *gx, float g) { *gx += g; }
// CHECK: :[[@LINE-3]]:50: note: this call is an instruction already

[[kernix::backward_derivative_of(sinhf)]] __device__ void sinhBackward(float x, float *gx, float g) { *gx += g; }
__device__ float positiveLate(float x) { return sinhf(x); }
