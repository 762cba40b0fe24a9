// The intent table, on device functions, host functions and kernels.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %S/Inputs/record.py | FileCheck %s
// REQUIRES: cpu
#include <kernix/kernix.h>

struct Stats {
  int count;
  float sum;
};

// CHECK: device deviceIn = deviceIn(const Stats &s, float x, float y) [attr.s:struct attr.x:float32 attr.y:float32]
// CHECK-NEXT:   s: attr struct any .count:int32@0 .sum:float32@4
// CHECK-NEXT:   x: attr scalar float32
// CHECK-NEXT:   y: attr scalar float32 in
[[kernix::bind]] __device__ void deviceIn(const Stats &s, float x, [[kernix::intent(in)]] float y) {}
// CHECK: device deviceInoutPtr = deviceInoutPtr(Stats &s, float x) [ret attr.x:float32]
// CHECK-NEXT:   s: ret reference any inout_ptr written .count:int32@0 .sum:float32@4
// CHECK-NEXT:   x: attr scalar float32
[[kernix::bind]] __device__ void deviceInoutPtr([[kernix::intent(inout_ptr)]] Stats &s, float x) { s.sum += x; }
// CHECK: device deviceOutPtr = deviceOutPtr(float &mean) [ret]
// CHECK-NEXT:   mean: ret reference float32 out_ptr written
[[kernix::bind]] __device__ void deviceOutPtr([[kernix::intent(out_ptr)]] float &mean) { mean = 1; }
// CHECK: device deviceOutReturn = deviceOutReturn(Stats &s, float &z) [ret ret]
// CHECK-NEXT:   s: ret reference any inout_ptr written .count:int32@0 .sum:float32@4
// CHECK-NEXT:   z: ret reference float32 out_return written
// CHECK-NEXT:   -> ret scalar bool
[[kernix::bind]] __device__ bool deviceOutReturn([[kernix::intent(inout_ptr)]] Stats &s,
                                                 [[kernix::intent(out_return)]] float &z) {
  z = s.sum;
  return true;
}
// CHECK: device deviceRvalue = deviceRvalue(float &&z) [ret]
// CHECK-NEXT:   z: ret reference float32 out_return written
[[kernix::bind]] __device__ void deviceRvalue([[kernix::intent(out_return)]] float &&z) { z = 1; }
// CHECK: device deviceArrayPointer = deviceArrayPointer(float *out) [ret]
// CHECK-NEXT:   out: ret array float32 out_array_return written length=3
[[kernix::bind]] __device__ void deviceArrayPointer([[kernix::intent(out_array_return, 3)]] float *out) { out[0] = 1; }
// CHECK: device deviceArray = deviceArray(float out[3][4]) [ret]
// CHECK-NEXT:   out: ret array float32 out_array_return written length=12
[[kernix::bind]] __device__ void deviceArray([[kernix::intent(out_array_return)]] float out[3][4]) {
  out[1][2] = 1;
}
// CHECK: device deviceArrayReference = deviceArrayReference(float (&out)[2][2]) [ret]
// CHECK-NEXT:   out: ret reference float32 out_array_return written length=4
[[kernix::bind]] __device__ void deviceArrayReference([[kernix::intent(out_array_return)]] float (&out)[2][2]) {
  out[1][0] = 1;
}
// CHECK: device deviceVectors = deviceVectors(float4 out[3]) [ret]
// CHECK-NEXT:   out: ret array float32 4 out_array_return written length=3
[[kernix::bind]] __device__ void deviceVectors([[kernix::intent(out_array_return, 3, "float4")]] float4 out[3]) {
  out[0] = float4();
}

// CHECK: host hostIn = hostIn(const int &a, int &b) [attr.a:int32 attr.b:int32]
// CHECK-NEXT:   a: attr scalar int32 in
// CHECK-NEXT:   b: attr reference int32 in
[[kernix::bind]] void hostIn([[kernix::intent(in)]] const int &a, [[kernix::intent(in)]] int &b) {}
// CHECK: host hostScalars = hostScalars(int &a, double &b, Stats &c) [ret ret ret]
// CHECK-NEXT:   a: ret reference int32 inout_ptr written
// CHECK-NEXT:   b: ret reference float64 out_ptr written
// CHECK-NEXT:   c: ret reference any out_return written .count:int32@0 .sum:float32@4
// CHECK-NEXT:   -> ret scalar int32
[[kernix::bind]] int hostScalars([[kernix::intent(inout_ptr)]] int &a, [[kernix::intent(out_ptr)]] double &b,
                                 [[kernix::intent(out_return)]] Stats &c) {
  b = a++;
  c = Stats{1, 2};
  return 3;
}
// CHECK: host hostArray = hostArray(double *a) [ret]
// CHECK-NEXT:   a: ret array float64 out_array_return written length=3
[[kernix::bind]] void hostArray([[kernix::intent(out_array_return, 3)]] double *a) { a[2] = 1; }
// CHECK: host hostTensors = hostTensors(kernix::Tensor a, kernix::Tensor b, kernix::Tensor c, kernix::Tensor d) [arg ret ret ret]
// CHECK-NEXT:   a: arg tensor any in
// CHECK-NEXT:   b: ret tensor any inout_ptr written
// CHECK-NEXT:   c: ret tensor any out_ptr written
// CHECK-NEXT:   d: ret tensor any out_return written shape=(a) like 0
[[kernix::bind]] void hostTensors([[kernix::intent(in)]] kernix::Tensor a, [[kernix::intent(inout_ptr)]] kernix::Tensor b,
                                  [[kernix::intent(out_ptr)]] kernix::Tensor c,
                                  [[kernix::intent(out_return), kernix::shape("a")]] kernix::Tensor d) {
  b.data_ptr<float>()[0] += 1;
  c.data_ptr<float>()[0] = a.data_ptr<float>()[0];
  d.data_ptr<float>()[0] = 1;
}
// CHECK: kernel kernelTensors = kernelTensors(float *a, float *b, float *c, float *d) [arg ret ret ret] only-x
// CHECK-NEXT:   a: arg pointer float32 in
// CHECK-NEXT:   b: ret pointer float32 inout_ptr written
// CHECK-NEXT:   c: ret pointer float32 out_ptr written
// CHECK-NEXT:   d: ret pointer float32 out_return written shape=(a) like 0
[[kernix::bind]] __global__ void kernelTensors([[kernix::intent(in)]] float *a, [[kernix::intent(inout_ptr)]] float *b,
                                               [[kernix::intent(out_ptr)]] float *c,
                                               [[kernix::intent(out_return), kernix::shape("a")]] float *d) {
  *b += 1;
  *c = *d = *a;
}
