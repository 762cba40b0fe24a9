// A source that -fdebug-prefix-map takes the name from: its functions are as valid as others.
// RUN: %cpu-device -O2 -fdebug-prefix-map=%s= -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O2 -g -fdebug-prefix-map=%s= -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O2 -g -fdebug-prefix-map=%s= -c %s -o /dev/null
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: !DIFile(filename: "<unnamed>"
[[kernix::bind]] __global__ void turned(const float *x, float *y) {
  __shared__ float s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[31 - threadIdx.x];
}
