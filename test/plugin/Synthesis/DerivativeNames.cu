// Code after f may name f_fwd and f_bwd, which are declared when they are looked for.
// RUN: %cuda-host -S -emit-llvm -o - %s | FileCheck %s --check-prefix=HOST
// RUN: %cuda-device -fplugin-arg-kernix-derive=off -S -emit-llvm -o - %s | FileCheck %s --check-prefix=DEVICE
// RUN: %cuda-device -fplugin-arg-kernix-derive=off -S -emit-llvm -o - %s | FileCheck %s --check-prefix=DEFINED
// RUN: not %cuda-host -fsyntax-only -DNEGATIVE %s 2>&1 | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=error:
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable]] __global__ void kernel(const float *x, float *y) { *y = *x; }
static __global__ void other(const float *x, float *y) { *y = *x; }
void launch(const float *x, float *gx, float *y, const float *gy) {
  kernel_fwd<<<1, 1>>>(x, x, y, gx);
  kernel_bwd<<<1, 1>>>(x, gx, y, gy);
}
// HOST: define dso_local void @_Z6launchPKfPfS1_S0_(
// HOST: call void @_Z25__device_stub__kernel_fwdPKfS0_PfS1_(
// HOST: call void @_Z25__device_stub__kernel_bwdPKfPfS1_S0_(
// HOST: define dso_local void @_Z25__device_stub__kernel_fwdPKfS0_PfS1_(
// HOST: define dso_local void @_Z25__device_stub__kernel_bwdPKfPfS1_S0_(


namespace outer {
[[kernix::bind, kernix::differentiable]] __device__ float f(float x) { return x; }
[[kernix::bind, kernix::differentiable]] __device__ double f(double x) { return x; }
__device__ void inside(float *g) { f_bwd(1.0f, g, 1.0f); }
} // namespace outer
__device__ double outside(double *g) {
  outer::f_bwd(1.0, g, 1.0);
  return outer::f_fwd(1.0, 1.0).tangent;
}
// DEVICE: define dso_local void @_ZN5outer6insideEPf(
// DEVICE: call void @_ZN5outer5f_bwdEfPff(
// DEVICE: define dso_local noundef double @_Z7outsidePd(
// DEVICE: call void @_ZN5outer5f_bwdEdPdd(
// DEVICE: call {{.*}} @_ZN5outer5f_fwdEdd(
// DEFINED-DAG: define dso_local void @_ZN5outer5f_bwdEfPff(

// Of internal functions the derivatives are internal, and not undefined when they are used.
[[kernix::bind, kernix::differentiable(backward)]] static double hidden(double x) { return x; }
double useHidden(double *g) {
  hidden_bwd(1.0, g, 2.0);
  return *g;
}
// HOST: call void @_ZL10hidden_bwddPdd(
// DEFINED-DAG: define dso_local ptx_kernel void @_Z10kernel_bwdPKfPfS1_S0_(

#ifdef NEGATIVE
void negativeOther() { other_bwd<<<1, 1>>>(); }
// NEGATIVE: error: use of undeclared identifier 'other_bwd'
void negativeForward(double *g) { hidden_fwd(1.0, 1.0); }
// NEGATIVE: error: use of undeclared identifier 'hidden_fwd'
void negativeEarly() { later_bwd(); }
// NEGATIVE: error: use of undeclared identifier 'later_bwd'
[[kernix::bind, kernix::differentiable]] double later(double x) { return x; }
void negativeArguments() { hidden_bwd(1.0); }
// NEGATIVE: error: no matching function for call to 'hidden_bwd'
#endif
