// Which outputs start as zeros: those that the body reads, or that go where they cannot be followed.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind]] __global__ void

struct Pair {
  float a, b;
  __device__ void increment() { a += 1; }
  __device__ void set(float v);
};
__device__ void put(float *p, float v) { *p = v; }
__device__ void putReference(float &p, float v) { p = v; }
__device__ float &at(float *p, int i) { return p[i]; }
__device__ float *advanced(float *p, int i) { return p + i; }
__device__ void add(float *p, int depth) {
  if (depth)
    add(p, depth - 1);
  else
    *p += 1;
}
__device__ void opaque(float *p);

// CHECK: kernel positiveOnlyWritten = positiveOnlyWritten(float *y, int n) [ret attr.n:int32] only-x
// CHECK-NEXT:   y: ret pointer float32 written
// CHECK-NEXT:   n: attr scalar int32
KERNEL positiveOnlyWritten(float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = 1;
}
// CHECK: kernel positiveThroughFunctions = positiveThroughFunctions(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL positiveThroughFunctions(float *y) {
  put(y, 1);
  put(y + 3, 2);
  putReference(y[1], 2);
  at(y, 2) = 3;
  *advanced(y, 3) = 1;
}
// CHECK: kernel positiveThroughAliases = positiveThroughAliases(float4 *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 4 written
KERNEL positiveThroughAliases(float4 *y) {
  y->x = 2;
  auto &r = y[1];
  r.x = 3;
  float *f = &y[2].x;
  f[1] = 2;
  reinterpret_cast<float *>(y)[9] = 4;
}
// CHECK: kernel positiveThroughLambda = positiveThroughLambda(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL positiveThroughLambda(float *y) {
  auto store = [=](int i) { y[i] = 1; };
  store(2);
}
// CHECK: kernel positiveMovingPointer = positiveMovingPointer(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL positiveMovingPointer(float *y) {
  float *p = y;
  for (int i = 0; i < 3; ++i)
    *p++ = 2;
  *(p += 4) = 3;
}
// CHECK: kernel positiveView = positiveView(kernix::TensorView<float> y) [ret] only-x
// CHECK-NEXT:   y: ret tensor_view float32 written
KERNEL positiveView(kernix::TensorView<float> y) {
  y(0) = 1;
  y[1] = 2;
  auto v = y;
  v(3) = 1;
  for (long i = 0; i < y.size(0); ++i)
    y.data()[i] = 2;
}
// CHECK: kernel positiveChain = positiveChain(float *y, float *z) [ret ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
// CHECK-NEXT:   z: ret pointer float32 written
KERNEL positiveChain(float *y, float *z) { y[0] = z[0] = 1; }
// CHECK: kernel positiveNullTest = positiveNullTest(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL positiveNullTest(float *y) {
  if (y)
    y[0] = 1;
}
// CHECK: kernel positiveUnevaluated = positiveUnevaluated(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written
KERNEL positiveUnevaluated(float *y) { y[sizeof(y[0])] = 1; }
// CHECK: host positiveTensor = positiveTensor(kernix::Tensor y) [ret]
// CHECK-NEXT:   y: ret tensor any written
[[kernix::bind]] void positiveTensor(kernix::Tensor y) {
  float *p = static_cast<float *>(y.data_ptr());
  p[0] = 1;
  kernix::TensorView<float>::from_tensor(y)(1) = 2;
}
// CHECK: host positiveMemset = positiveMemset(kernix::Tensor y, cudaStream_t s) [ret stream]
// CHECK-NEXT:   y: ret tensor any written
// CHECK-NEXT:   s: stream stream any
[[kernix::bind]] void positiveMemset(kernix::Tensor y, cudaStream_t s) { cudaMemsetAsync(y.data_ptr(), 0, y.nbytes(), s); }

// CHECK: kernel negativeCompound = negativeCompound(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeCompound(float *y) { y[0] += 1; }
// CHECK: kernel negativeIncrement = negativeIncrement(int *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer int32 written zero_init
KERNEL negativeIncrement(int *y) { ++*y; }
// CHECK: kernel negativeAtomic = negativeAtomic(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeAtomic(float *y) { atomicAdd(y, 1.f); }
// CHECK: kernel negativeAtomicElement = negativeAtomicElement(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeAtomicElement(float *y) { atomicAdd(&y[3], 1.f); }
// CHECK: kernel negativeRead = negativeRead(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeRead(float *y) { y[0] = y[1]; }
// CHECK: kernel negativeArrowField = negativeArrowField(Pair *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 2 written zero_init
KERNEL negativeArrowField(Pair *y) { y->a += 1; }
// CHECK: kernel negativeMethod = negativeMethod(Pair *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 2 written zero_init
KERNEL negativeMethod(Pair *y) { y->increment(); }
// CHECK: kernel negativeUnseenMethod = negativeUnseenMethod(Pair *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 2 written zero_init
KERNEL negativeUnseenMethod(Pair *y) { y[1].set(2); }
// CHECK: kernel negativeStructCopy = negativeStructCopy(Pair *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 2 written zero_init
KERNEL negativeStructCopy(Pair *y) {
  Pair p = y[0];
  y[1] = p;
}
// CHECK: kernel negativeUnseenFunction = negativeUnseenFunction(float *y) [ret]
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeUnseenFunction(float *y) { opaque(y); }
// CHECK: kernel negativeReturnedReference = negativeReturnedReference(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeReturnedReference(float *y) { at(y, 1) += 2; }
// CHECK: kernel negativeAssignedPointer = negativeAssignedPointer(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeAssignedPointer(float *y) { *(y += 4) *= 3; }
// CHECK: kernel negativeView = negativeView(kernix::TensorView<float> y) [ret] only-x
// CHECK-NEXT:   y: ret tensor_view float32 written zero_init
KERNEL negativeView(kernix::TensorView<float> y) { y(0) += 1; }
// CHECK: kernel negativeStoredPointer = negativeStoredPointer(float *y, float *z) [ret ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
// CHECK-NEXT:   z: ret pointer float32 written zero_init
KERNEL negativeStoredPointer(float *y, float *z) {
  float *a[2] = {y, z};
  a[0][1] += 2;
}
// CHECK: kernel negativeLambdaResult = negativeLambdaResult(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeLambdaResult(float *y) {
  auto l = [=]() { return y; };
  l()[0] += 1;
}
// CHECK: kernel negativeInitCapture = negativeInitCapture(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeInitCapture(float *y) {
  auto l = [p = y]() { p[0] += 1; };
  l();
}
// CHECK: kernel negativeReference = negativeReference(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeReference(float *y) {
  float &q = y[2];
  q++;
}
// CHECK: kernel negativeStaticPointer = negativeStaticPointer(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeStaticPointer(float *y) {
  static float *kept;
  kept = y;
  kept[0] += 1;
}
// CHECK: kernel negativeRecursion = negativeRecursion(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeRecursion(float *y) { add(y, 3); }
// CHECK: kernel negativeStatementExpression = negativeStatementExpression(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
KERNEL negativeStatementExpression(float *y) {
  ({
    float *p = y;
    p;
  })[0] += 1;
}
// CHECK: kernel negativeConditional = negativeConditional(float *y, float *z) [ret ret] only-x
// CHECK-NEXT:   y: ret pointer float32 written zero_init
// CHECK-NEXT:   z: ret pointer float32 written zero_init
KERNEL negativeConditional(float *y, float *z) { (threadIdx.x ? y : z)[0] += 1; }
// CHECK: kernel negativeInoutPtrHasItsValue = negativeInoutPtrHasItsValue(float *y) [ret] only-x
// CHECK-NEXT:   y: ret pointer float32 inout_ptr written
KERNEL negativeInoutPtrHasItsValue([[kernix::intent(inout_ptr)]] float *y) { y[0] += 1; }
// CHECK: host negativeNotDefinedHere = negativeNotDefinedHere(kernix::Tensor y) [ret]
// CHECK-NEXT:   y: ret tensor any written zero_init
[[kernix::bind]] void negativeNotDefinedHere(kernix::Tensor y);
// CHECK: host negativeRawTensor = negativeRawTensor(kernix::Tensor y) [ret]
// CHECK-NEXT:   y: ret tensor any written zero_init
[[kernix::bind]] void negativeRawTensor(kernix::Tensor y) { static_cast<float *>(y.raw().data)[0] += 1; }
