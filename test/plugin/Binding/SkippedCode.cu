// Code for the other pass counts as unknown where it mentions the tensor or the geometry.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

__device__ void helper(float *p) {
  *p = 1;
#ifdef __CUDA_ARCH__
  *p += 1;
#endif
}

// CHECK: kernel otherArchitecture = otherArchitecture(float *y, float *z) [ret ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
// CHECK-NEXT:   z: ret pointer float32 written
[[kernix::bind]] __global__ void otherArchitecture(float *y, float *z) {
  y[0] = z[0] = 1;
#if defined(__CUDA_ARCH__)
  y[1] += 1;
#else
  y[1] = 1;
#endif
}
// CHECK: kernel inHelper = inHelper(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
[[kernix::bind]] __global__ void inHelper(float *y) { helper(y); }
// CHECK: kernel otherAxes = otherAxes(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written zero_init
[[kernix::bind]] __global__ void otherAxes(float *y) {
  y[0] = 1;
#ifdef __CUDA_ARCH__
  if (threadIdx.y)
    return;
#endif
}
// CHECK: kernel unrelated = unrelated(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
[[kernix::bind]] __global__ void unrelated(float *y) {
  y[0] = 1;
#if 0
  printf("not mentioned");
#endif
}
#if 0
y[1] += threadIdx.y; // outside of every body
#endif
