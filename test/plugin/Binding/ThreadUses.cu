// A default launch along x exists for kernels that look at nothing else.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind]] __global__ void

__device__ unsigned index() { return threadIdx.x + blockIdx.x * blockDim.x; }
__device__ unsigned row() { return threadIdx.y; }
__device__ unsigned unseen();
struct Lane {
  unsigned y;
  __device__ Lane() : y(threadIdx.y) {}
};

// CHECK: kernel positiveX = positiveX(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL positiveX(float *y) {
  for (unsigned i = index(); i < 10; i += gridDim.x)
    y[i] = sqrtf(2.f) + min(1, 2);
  __syncthreads();
}
// CHECK: kernel positiveOwnDim3 = positiveOwnDim3(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL positiveOwnDim3(float *y) {
  dim3 d(1, 2, 3);
  y[d.y] = 1;
}
// CHECK: kernel negativeY = negativeY(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL negativeY(float *y) { y[threadIdx.y] = 1; }
// CHECK: kernel negativeZ = negativeZ(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL negativeZ(float *y) { y[blockDim.z] = 1; }
// CHECK: kernel negativeCopy = negativeCopy(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL negativeCopy(float *y) {
  dim3 d = blockDim;
  y[d.x] = 1;
}
// CHECK: kernel negativeReference = negativeReference(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL negativeReference(float *y) {
  auto &t = threadIdx;
  y[t.x] = 1;
}
// CHECK: kernel negativeCallee = negativeCallee(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL negativeCallee(float *y) { y[row()] = 1; }
// CHECK: kernel negativeConstructor = negativeConstructor(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL negativeConstructor(float *y) { y[Lane().y] = 1; }
// CHECK: kernel negativeLambda = negativeLambda(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL negativeLambda(float *y) {
  auto l = [&] { return blockIdx.y; };
  y[l()] = 1;
}
// CHECK: kernel negativeUnseen = negativeUnseen(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL negativeUnseen(float *y) { y[unseen()] = 1; }
// CHECK: kernel negativePointer = negativePointer(float *y, int n) [ret attr.n:int32]
// CHECK-NEXT:   y: ret pointer float32 written
// CHECK-NEXT:   n: attr scalar int32
KERNEL negativePointer(float *y, int n) {
  unsigned (*f)() = n ? index : row;
  y[f()] = 1;
}
