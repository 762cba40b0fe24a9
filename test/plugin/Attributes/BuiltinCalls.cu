// Calls of library functions with a rule are calls, in all code that is compiled behind the rule.
//
// RUN: %cuda-host -fsyntax-only -DNEGATIVE -Xclang -verify %s
// RUN: %cuda-host -S -emit-llvm -o - %s | FileCheck %s
// RUN: %cuda-device -fplugin-arg-kernix-derive=off -S -emit-llvm -o - %s | FileCheck %s --check-prefix=DEVICE
extern "C" {
__host__ __device__ float floorf(float);
__host__ __device__ float rintf(float);
__host__ __device__ double rint(double);
}

// Inline functions and templates are compiled at the end of the file.
inline float floorAbove(float x) { return floorf(x); }
template <class T> T floorOf(T x) { return floorf(x); }

[[kernix::backward_derivative_of(floorf)]] __host__ __device__ void floorBackward(float, float *gx, float g) {
  *gx += g;
}
[[kernix::backward_derivative_of((float (*)(float))rintf)]] __host__ __device__ void rintBackward(float, float *, float);

extern "C" __host__ __device__ float floorf(float); // says nothing new

float positive(float x) { return floorf(x); }
// CHECK-LABEL: define {{.*}} @_Z8positivef(
// CHECK: call {{.*}} @floorf(
float positiveCast(float x) { return rintf(x); }
// CHECK-LABEL: define {{.*}} @_Z12positiveCastf(
// CHECK: call {{.*}} @rintf(
double withoutRule(double x) { return rint(x); }
// CHECK-LABEL: define {{.*}} @_Z11withoutRuled(
// CHECK: call {{.*}} @llvm.rint.f64(
float useAbove(float x) { return floorAbove(x) + floorOf(x); }
// CHECK-LABEL: define {{.*}} @_Z10floorAbovef(
// CHECK: call {{.*}} @floorf(
// CHECK-LABEL: define {{.*}} @_Z7floorOfIfET_S0_(
// CHECK: call {{.*}} @floorf(
__device__ float onDevice(float x) { return floorf(x); }
// DEVICE-LABEL: define {{.*}} @_Z8onDevicef(
// DEVICE: call {{.*}} @floorf(

#ifdef NEGATIVE
extern "C" __host__ __device__ float ceilf(float);
namespace early {
float negativeEarly(float x) { return [](float y) { return ceilf(y); }(x); }
// expected-note@-1 {{this call is an instruction already}}
} // namespace early
[[kernix::backward_derivative_of(ceilf)]] __host__ __device__ void ceilBackward(float, float *, float);
// expected-error@-1 {{'ceilf' has been called without its derivative: declare it above the calls}}
[[kernix::backward_derivative_of(__builtin_floorf)]] void negativeInstruction(float, float *, float);
// expected-error@-1 {{calls of '__builtin_floorf' are instructions, which have no derivative of their own: write it for a function that calls '__builtin_floorf'}}
extern "C" [[kernix::backward_derivative(floorBackward)]] __host__ __device__ float truncf(float);
// expected-error@-1 {{calls of 'truncf' are instructions here: write [[kernix::backward_derivative_of(truncf)]] on the rule, above the calls}}
#endif
