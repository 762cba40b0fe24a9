// Attributes of all declarations count together, and speak of parameters by the names of the declaration they stand on.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// RUN: not %cpu-host -DREFUSED -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

#ifndef REFUSED
// CHECK: kernel spread = spread(const float *p, float *q, int count) [arg ret attr.count:int32] grid=['ceil_div(length, block.x)'] only-x one-block
// CHECK-NEXT:   p: arg pointer float32 optional
// CHECK-NEXT:   q: ret pointer float32 written shape=(p) like 0
// CHECK-NEXT:   count: attr scalar int32 value=(x.numel() + y.rank())
[[kernix::bind]] __global__ void spread(const float *x, [[kernix::shape("x")]] float *y,
                                        [[kernix::value("x.numel() + y.rank()")]] int n);
[[kernix::grid("ceil_div(length, block.x)")]] __global__ void spread(const float *, float *, int length);
__global__ void spread([[kernix::optional]] const float *p, float *q, int count) { q[threadIdx.x] = p ? p[0] : count; }
// CHECK: host onTemplate = onTemplate<float>(kernix::TensorView<float> view, int size) [ret attr.size:int32]
// CHECK-NEXT:   view: ret tensor_view float32 written
// CHECK-NEXT:   size: attr scalar int32 value=(v.size(0))
template <class T> [[kernix::bind]] int onTemplate(kernix::TensorView<T> v, [[kernix::value("v.size(0)")]] int n);
template <class T> int onTemplate(kernix::TensorView<T> view, int size) {
  view(0) = 1;
  return size;
}
template int onTemplate(kernix::TensorView<float>, int);
// CHECK: host unicode = unicode(int größe, int $x) [attr.größe:int32 attr.$x:int32]
// CHECK-NEXT:   größe: attr scalar int32
// CHECK-NEXT:   $x: attr scalar int32 value=(größe * 2)
[[kernix::bind]] int unicode(int größe, [[kernix::value("größe * 2")]] int $x) { return größe; }
// CHECK: host negativeZero
// CHECK-NEXT:   x: attr scalar float64 default="-0.0"
[[kernix::bind]] int negativeZero(double x = -0.0) { return 0; }
// CHECK: host elsewhere = elsewhere(int x)
[[kernix::bind]] int elsewhere(int x);
#else
// REFUSED: :[[#@LINE+1]]:54: error: in 'a + 1': 'a' is another parameter in another declaration of the function
[[kernix::bind]] int swapped(int a, [[kernix::value("a + 1")]] int b);
int swapped(int b, int a) { return a; }
// REFUSED: :[[#@LINE+1]]:46: error: in 'stream': 'stream' is a stream
[[kernix::bind]] int stream([[kernix::value("stream")]] int m, int64_t stream) { return m; }
// REFUSED: :[[#@LINE+1]]:3: error: 'inlineNowhere' is bound but not defined in this file
[[kernix::bind]] inline int inlineNowhere(int x);
// REFUSED: :[[#@LINE+1]]:3: error: 'staticNowhere' is bound but not defined in this file
[[kernix::bind]] static int staticNowhere(int x);
// REFUSED: :[[#@LINE+1]]:3: error: 'constexprNowhere' is bound but not defined in this file
[[kernix::bind]] constexpr int constexprNowhere(int x);
// REFUSED: :[[#@LINE+1]]:54: error: 'arg1' of type 'void **' cannot be bound
[[kernix::bind]] __device__ void unnamed(int, void **) {}
#endif
