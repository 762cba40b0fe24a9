// Rules that users write: their types are checked where they are named, device and host functions hand them to the LLVM
// half, kernels and host functions have them as f_fwd and f_bwd.
//
// RUN: %cuda-device -fplugin-arg-kernix-derive=off -S -emit-llvm -o - %s | FileCheck %s --check-prefix=DEVICE
// RUN: %cuda-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %inputs/derivatives.py \
// RUN:   | FileCheck %s --check-prefix=RECORD
// RUN: not %cuda-device -fsyntax-only -DNEGATIVE %s 2>&1 | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DNEGATIVE_BOUND %s 2>&1 | FileCheck %s --check-prefix=BOUND --implicit-check-not=error:
// RUN: not %cuda-device -fsyntax-only -DNEGATIVE_ORDER %s 2>&1 | FileCheck %s --check-prefix=ORDER
#include <kernix/kernix.h>

__device__ void cubeBackward(float x, float *gx, float g) { *gx += 3 * x * x * g; }
__device__ kernix::Dual<float> cubeForward(float x, float dx) { return {x * x * x, 3 * x * x * dx}; }
[[kernix::backward_derivative(cubeBackward), kernix::forward_derivative(cubeForward)]] __device__ float cube(float x) {
  return x * x * x;
}
// DEVICE: { ptr @_Z4cubef, ptr @[[CUBE_STUB:kernix_rule_stub_[0-9a-f]+]], ptr @[[CUBE_MARKER:kernix_rule_marker_[0-9a-f]+]], ptr @kernix_primal_{{[0-9a-f]+}}, ptr @[[CUBE_FORWARD:kernix_rule_thunk_forward_[0-9a-f]+]], ptr
// DEVICE: { ptr @_Z4cubef, ptr @[[CUBE_STUB]], ptr @[[CUBE_MARKER]], ptr @kernix_primal_{{[0-9a-f]+}}, ptr @[[CUBE_BACKWARD:kernix_rule_thunk_backward_[0-9a-f]+]], ptr

__device__ float outside(float x);
[[kernix::backward_derivative_of(outside)]] __device__ void outsideBackward(float x, float *gx, float g) { *gx += g; }
// DEVICE: { ptr @_Z7outsidef, ptr @kernix_rule_stub_

__device__ float overloaded(float x);
__device__ double overloaded(double x);
[[kernix::backward_derivative_of(overloaded)]] __device__ void rule(double x, double *gx, double g) { *gx += g; }
// DEVICE: { ptr @_Z10overloadedd, ptr @kernix_rule_stub_

template <class T> __device__ void squareBackward(T x, T *gx, T g) { *gx += 2 * x * g; }
template <class T> [[kernix::backward_derivative(squareBackward<T>)]] __device__ T square(T x) { return x * x; }
template <class T> __device__ T twice(T x) { return x + x; }
template <class T> [[kernix::backward_derivative_of(twice)]] __device__ void twiceBackward(T x, T *gx, T g) {
  *gx += 2 * g;
}
__device__ double useTemplates(float x) { return square(x) + square(double(x)) + twice(x); }
// DEVICE: { ptr @_Z6squareIfET_S0_, ptr @kernix_rule_stub_
// DEVICE: { ptr @_Z6squareIdET_S0_, ptr @kernix_rule_stub_
// DEVICE: { ptr @_Z5twiceIfET_S0_, ptr @kernix_rule_stub_

// bwd_diff of a function with a rule is the rule.
__global__ void calls(float *x) { kernix::bwd_diff<cube>(x[0], x + 1, 1.0f); }
// DEVICE: define linkonce_odr {{.*}} @_ZN6kernix6detail11ReverseCallIXadL_Z4cubefE{{.*}}4call
// DEVICE: call void @_Z12cubeBackwardfPff(

// A kernel's derivative is a kernel, which gets no other body.
__global__ void scaleBackward(const float *x, float *gx, float *y, const float *gy) { *gx += *gy; }
[[kernix::bind, kernix::backward_derivative(scaleBackward)]] __global__ void scale(const float *x, float *y) { *y = *x; }
// DEVICE-NOT: @kernix_reverse
// RECORD: scaleBackward(const float *x, float *x_grad, float *y, const float *y_grad)
// RECORD-NEXT: x: arg
// RECORD-NEXT: x_grad: ret gradient of x

// A kernel's derivative has attributes of its own; a rule of a kernel that is not bound has no use.
// RUN: %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=WARNED --implicit-check-not=warning:
[[kernix::block(32)]] __global__ void shiftBackward(const float *x, float *gx, float *y, const float *gy) { *gx += *gy; }
[[kernix::bind, kernix::backward_derivative(shiftBackward)]] __global__ void shift(const float *x, float *y) { *y = *x + 1; }
[[kernix::backward_derivative(shiftBackward)]] __global__ void unbound(const float *x, float *y) { *y = *x + 1; }
// WARNED: :[[@LINE-1]]:3: warning: 'kernix::backward_derivative' has no effect: 'unbound' is not bound [-Wkernix-no-effect]

// A host function that launches kernels.
void copyBackward(const kernix::Tensor x, kernix::Tensor gx, kernix::Tensor y, const kernix::Tensor gy) {}
[[kernix::bind, kernix::backward_derivative(copyBackward)]] void copy(const kernix::Tensor x, kernix::Tensor y) {
  scale<<<1, 1>>>(x.data_ptr<float>(), y.data_ptr<float>());
}
// RECORD: copyBackward(const kernix::Tensor x, kernix::Tensor x_grad, kernix::Tensor y, const kernix::Tensor y_grad)

#ifdef NEGATIVE
__device__ void negativeRule(float x, float g);
[[kernix::backward_derivative(negativeRule)]] __device__ float negativeType(float x);
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeRule' does not have the type of the backward derivative of 'negativeType'
// NEGATIVE: :[[@LINE-2]]:64: note: expected 'void negativeRule(float x, float *x_grad, float result_grad)'
// NEGATIVE: :[[@LINE-4]]:17: note: declared here
[[kernix::forward_derivative(negativeRule)]] __device__ float negativeForward(float x);
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeRule' does not have the type of the forward derivative of 'negativeForward'
// NEGATIVE: note: expected 'kernix::Dual<float> negativeRule(float x, float x_tangent)'
struct NegativeMember {
  __device__ void at_bwd(int i, float g);
  [[kernix::backward_derivative(&NegativeMember::at_bwd)]] __device__ float at(int i) const;
  // NEGATIVE: :[[@LINE-1]]:5: error: 'at_bwd' does not have the type of the backward derivative of 'at'
  // NEGATIVE: note: expected 'void NegativeMember::at_bwd(int i, float result_grad) const'
};
void negativeHostRule(float x, float *gx, float g);
[[kernix::backward_derivative(negativeHostRule)]] __device__ float negativeHost(float x);
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeHost' is a __device__ function and so must be its derivative, but 'negativeHostRule' is not
[[kernix::backward_derivative(cubeBackward)]] float negativeDevice(float x);
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeDevice' is a __host__ function and so must be its derivative, but 'cubeBackward' is not
[[kernix::backward_derivative_of(scale)]] __device__ void negativeOfKernel(float *x, float *g);
// NEGATIVE: :[[@LINE-1]]:3: error: 'scale' is a kernel: name its derivative where it is declared, by {{\[\[}}kernix::backward_derivative(...)]]
[[kernix::backward_derivative_of(cube)]] __device__ void negativeSecond(float x, float *gx, float g);
// NEGATIVE: :[[@LINE-1]]:3: error: 'cube' has another backward derivative already
[[kernix::backward_derivative_of(overloaded)]] __device__ void negativeNoneOf(int x);
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeNoneOf' has the type of a backward derivative of none of these functions
// NEGATIVE: note: 'overloaded' of type 'float (float)'
__device__ void integerBackward(int x);
[[kernix::backward_derivative(integerBackward)]] __device__ int negativeInteger(int x);
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeInteger' is differentiable but has no floating-point input to differentiate by
#endif

#ifdef NEGATIVE_BOUND
__global__ void negativeKernelRule(const float *x, float *gx);
[[kernix::bind, kernix::backward_derivative(negativeKernelRule)]] __global__ void negativeKernel(const float *x, float *y) { *y = *x; }
// BOUND: :[[@LINE-1]]:17: error: 'negativeKernelRule' does not have the type of the backward derivative of 'negativeKernel'
// BOUND: note: expected 'void negativeKernelRule(const float *x, float *x_grad, float *y, const float *y_grad)'
#endif

#ifdef NEGATIVE_ORDER
template <class T> struct Base {
  T factor;
};
template <class T> struct NegativeOrder : Base<T> {
  [[kernix::backward_derivative(&NegativeOrder::later)]] __device__ T at(T x) const { return 2 * x; }
  // ORDER: :[[@LINE-1]]:5: error: no function that is declared before 'at' has this name: declare its backward derivative above it
  __device__ void later(T, T *gx, T g) const { *gx += 2 * g; }
};
__device__ float useNegativeOrder(float x) { return NegativeOrder<float>{{2}}.at(x); }
#endif
