// Rules that users write: their types are checked where they are named, device and host functions hand them to the LLVM
// half, kernels and host functions have them as f_fwd and f_bwd.
//
// RUN: %cuda-device -fplugin-arg-kernix-derive=off -S -emit-llvm -o - %s | FileCheck %s --check-prefix=DEVICE
// RUN: %cuda-host -fsyntax-only -fplugin-arg-kernix-dump=json %s | %python %inputs/derivatives.py \
// RUN:   | FileCheck %s --check-prefix=RECORD
// RUN: not %cuda-device -fsyntax-only -DNEGATIVE %s 2>&1 | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=error:
// RUN: not %cuda-host -fsyntax-only -DNEGATIVE_BOUND %s 2>&1 | FileCheck %s --check-prefix=BOUND --implicit-check-not=error:
// RUN: not %cuda-device -fsyntax-only -DNEGATIVE_BASE %s 2>&1 | FileCheck %s --check-prefix=BASE
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
// An integer has no derivative, and needs none.
__device__ double useTemplates(float x) { return square(x) + square(double(x)) + twice(x) + twice(3); }
// DEVICE: { ptr @_Z6squareIfET_S0_, ptr @kernix_rule_stub_
// DEVICE: { ptr @_Z6squareIdET_S0_, ptr @kernix_rule_stub_
// DEVICE: { ptr @_Z5twiceIfET_S0_, ptr @kernix_rule_stub_

// Members of templates in templates, and what is named from outside of them.
template <class T> struct Outer {
  template <class U> struct Inner {
    static __device__ void rule(T x, T *gx, T g) { *gx += g; }
    [[kernix::backward_derivative(&Inner::rule)]] static __device__ T f(T x) { return x; }
  };
  struct Plain {
    template <class U> static __device__ void rule(U x, U *gx, U g) { *gx += g; }
    template <class U> [[kernix::backward_derivative(&Plain::template rule<U>)]] static __device__ U f(U x) { return x; }
  };
  static __device__ void rule(T x, T *gx, T g) { *gx += g; }
  static __device__ T g(T x);
  static __device__ T h(T x) { return x; }
};
template <class T> [[kernix::backward_derivative(&Outer<T>::rule)]] __device__ T Outer<T>::g(T x) { return x; }
template <class T> [[kernix::backward_derivative_of(&Outer<T>::h)]] __device__ void ruleOfH(T x, T *gx, T g) { *gx += g; }
template <class T, class U> struct Partial {};
template <class T> struct Partial<T, int> {
  static __device__ void rule(T x, T *gx, T g) { *gx += g; }
  [[kernix::backward_derivative(&Partial::rule)]] static __device__ T f(T x) { return x; }
};
template <class T> struct Friend;
template <class T> __device__ void befriended(T x, T *gx, Friend<T>, Friend<T> *, T g) { *gx += g; }
template <class T> struct Friend {
  T member;
  [[kernix::backward_derivative(befriended<T>)]] friend __device__ T f(T x, Friend) { return x; }
};
template <class T> __device__ T local(T x) {
  struct Local {
    static __device__ void rule(T x, T *gx, T g) { *gx += g; }
    [[kernix::backward_derivative(&Local::rule)]] static __device__ T f(T x) { return x; }
  };
  return Local::f(x);
}
__device__ float useMembers(float x) {
  return Outer<float>::Inner<int>::f(x) + Outer<float>::Plain::f(x) + Outer<float>::g(x) + Outer<float>::h(x) +
         Partial<float, int>::f(x) + f(x, Friend<float>{1}) + local(x);
}
// DEVICE-DAG: { ptr @_ZN5OuterIfE5InnerIiE1fEf, ptr @kernix_rule_stub_
// DEVICE-DAG: { ptr @_ZN5OuterIfE5Plain1fIfEET_S3_, ptr @kernix_rule_stub_
// DEVICE-DAG: { ptr @_ZN5OuterIfE1gEf, ptr @kernix_rule_stub_
// DEVICE-DAG: { ptr @_ZN5OuterIfE1hEf, ptr @kernix_rule_stub_
// DEVICE-DAG: { ptr @_ZN7PartialIfiE1fEf, ptr @kernix_rule_stub_
// DEVICE-DAG: { ptr @_Z1ff6FriendIfE, ptr @kernix_rule_stub_
// DEVICE-DAG: { ptr @_ZZ5localIfET_S0_EN5Local1fEf, ptr @kernix_rule_stub_

// A specialization is another function than its template: it has the rule that it names, or that names it.
template <class T> [[kernix::backward_derivative(squareBackward<T>)]] __device__ T special(T x) { return x * x; }
template <> __device__ float special<float>(float x) { return x; }
template <> [[kernix::backward_derivative(rule)]] __device__ double special<double>(double x) { return x; }
template <class T> __device__ T named(T x) { return x * x; }
template <> __device__ float named<float>(float x) { return x; }
template <> __device__ double named<double>(double x) { return x; }
[[kernix::backward_derivative_of(named<double>)]] __device__ void namedBackward(double x, double *gx, double g) { *gx += g; }
// DEVICE-NOT: @_Z7specialIfET_S0_, ptr @kernix_rule_stub_
// DEVICE: { ptr @_Z7specialIdET_S0_, ptr @kernix_rule_stub_
// DEVICE-NOT: @_Z5namedIfET_S0_, ptr @kernix_rule_stub_
// DEVICE: { ptr @_Z5namedIdET_S0_, ptr @kernix_rule_stub_

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
struct NegativeMemberTemplate {
  template <class T> __device__ void at_bwd(T x, T *gx, T g);
  [[kernix::backward_derivative(&NegativeMemberTemplate::at_bwd<float>)]] __device__ float at(float x) const;
  // NEGATIVE: :[[@LINE-1]]:5: error: 'at_bwd' does not have the type of the backward derivative of 'at'
  // NEGATIVE: note: expected 'void NegativeMemberTemplate::at_bwd(float x, float *x_grad, float result_grad) const'
};
struct NegativeOtherTemplate {
  [[kernix::backward_derivative(&NegativeMemberTemplate::at_bwd<float>)]] __device__ float at(float x);
  // NEGATIVE: :[[@LINE-1]]:5: error: 'at_bwd' does not have the type of the backward derivative of 'at'
};
[[kernix::backward_derivative(&NegativeMemberTemplate::at_bwd<float>)]] __device__ float negativeNoMember(float x);
// NEGATIVE: :[[@LINE-1]]:3: error: 'at_bwd' does not have the type of the backward derivative of 'negativeNoMember'
void negativeHostRule(float x, float *gx, float g);
[[kernix::backward_derivative(negativeHostRule)]] __device__ float negativeHost(float x);
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeHost' is a __device__ function and so must be its derivative, but 'negativeHostRule' is not
[[kernix::backward_derivative(cubeBackward)]] float negativeDevice(float x);
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeDevice' is a __host__ function and so must be its derivative, but 'cubeBackward' is not
[[kernix::backward_derivative(cubeBackward)]] __host__ __device__ float negativeBoth(float x);
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeBoth' is a __host__ __device__ function and so must be its derivative, but 'cubeBackward' is not
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
[[kernix::backward_derivative(cubeBackward)]] __device__ float negativeVariadic(float x, ...);
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeVariadic' can have no backward derivative that is written by hand: it takes arguments of any type ('...')
__device__ void referenceBackward(float *x, float *gx, float &g);
[[kernix::backward_derivative(referenceBackward)]] __device__ float &negativeReference(float *x) { return *x; }
// NEGATIVE: :[[@LINE-1]]:3: error: 'negativeReference' can have no backward derivative that is written by hand: it returns a reference, which has no gradient of its own; return the value, or take what is changed as a parameter
__device__ kernix::Dual<float> referenceForward(const float *x, const float *dx);
template <class T> [[kernix::forward_derivative(referenceForward)]] __device__ const T &negativeConstReference(const T *x) { return *x; }
// NEGATIVE: :[[@LINE-1]]:22: error: 'negativeConstReference<float>' can have no forward derivative that is written by hand: it returns a reference
__device__ float useNegativeConstReference(const float *x) { return negativeConstReference(x); }
struct NegativeObject {
  [[kernix::backward_derivative(cubeBackward)]] __device__ NegativeObject(float x);
  // NEGATIVE: :[[@LINE-1]]:5: error: 'NegativeObject' can have no backward derivative that is written by hand: it is a constructor; name the derivative of a function that makes the object
  [[kernix::backward_derivative(cubeBackward)]] __device__ ~NegativeObject();
  // NEGATIVE: :[[@LINE-1]]:5: error: '~NegativeObject' can have no backward derivative that is written by hand: it is a destructor
};
template <class T> struct NegativeClass {
  template <class U> [[kernix::backward_derivative(integerBackward)]] static __device__ U f(U x) { return x; }
  // NEGATIVE: :[[@LINE-1]]:24: error: 'integerBackward' does not have the type of the backward derivative of 'f<float>'
};
__device__ float useNegativeClass(float x) { return NegativeClass<int>::f(x); }
template <class T> [[kernix::backward_derivative(&NegativeClass<T>::f)]] __device__ T negativeMember(T x) { return x; }
// NEGATIVE: :[[@LINE-1]]:22: error: this names no function that can be the backward derivative of 'negativeMember<float>': a derivative is a function of its own or a member of the class that 'negativeMember<float>' is in
__device__ float useNegativeMember(float x) { return negativeMember(x); }
template <class T> [[kernix::backward_derivative_of(&T::f)]] __device__ void negativeUnknown(T x);
// NEGATIVE: :[[@LINE-1]]:22: error: this names no function that is known before its template is instantiated
#endif

#ifdef NEGATIVE_BOUND
__global__ void negativeKernelRule(const float *x, float *gx);
[[kernix::bind, kernix::backward_derivative(negativeKernelRule)]] __global__ void negativeKernel(const float *x, float *y) { *y = *x; }
// BOUND: :[[@LINE-1]]:17: error: 'negativeKernelRule' does not have the type of the backward derivative of 'negativeKernel'
// BOUND: note: expected 'void negativeKernelRule(const float *x, float *x_grad, float *y, const float *y_grad)'
#endif

#ifdef NEGATIVE_BASE
template <class T> struct Base {
  T factor;
  __device__ void inherited(T, T *gx, T g) const { *gx += 2 * g; }
};
template <class T> struct NegativeBase : Base<T> {
  [[kernix::backward_derivative(&NegativeBase::inherited)]] __device__ T at(T x) const { return 2 * x; }
  // BASE: :[[@LINE-1]]:5: error: this names no function that can be the backward derivative of 'at': a derivative is a function of its own or a member of the class that 'at' is in, not of a base that depends on a template
};
__device__ float useNegativeBase(float x) { return NegativeBase<float>{{2}}.at(x); }
#endif
