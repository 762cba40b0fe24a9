// Calls of functions whose derivative is written by hand: the rule is called instead, nothing of kernix's own stays in
// the module, and what cannot be right is refused at the call.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=LEFT
// RUN: not %cpu-device -c -DNEGATIVE %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=error:
#include <kernix/kernix.h>

#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__
#define FORWARD [[kernix::bind, kernix::differentiable(forward)]] __global__

// LEFT-NOT: @kernix_rule
// LEFT-NOT: @kernix_primal
// LEFT-NOT: @kernix.rule

// Defined in another file.
__device__ float outside(float x);
[[kernix::backward_derivative_of(outside)]] __device__ void outsideBackward(float x, float *gx, float g);

BACKWARD void declared(const float *x, float *y) { y[threadIdx.x] = outside(x[threadIdx.x]); }
// CHECK-LABEL: define {{.*}}@_Z12declared_bwd
// CHECK-NOT: @_Z7outsidef
// CHECK: call void @_Z15outsideBackwardfPff(
// CHECK-NOT: @_Z7outsidef
// CHECK: ret void

// Where an adjoint needs the value, it is called again.
BACKWARD void again(const float *x, float *y) {
  float v = outside(x[threadIdx.x]);
  y[threadIdx.x] = v * v;
}
// CHECK-LABEL: define {{.*}}@_Z9again_bwd
// CHECK: call {{.*}}float @_Z7outsidef(
// CHECK: call void @_Z15outsideBackwardfPff(

// A forward rule gives the value, too.
__device__ float both(float x);
[[kernix::forward_derivative_of(both)]] __device__ kernix::Dual<float> bothForward(float x, float dx);
FORWARD void once(const float *x, float *y) { y[threadIdx.x] = both(x[threadIdx.x]); }
// CHECK-LABEL: define {{.*}}@_Z8once_fwd
// CHECK-NOT: @_Z4bothf
// CHECK: call {{.*}}@_Z11bothForwardff(
// CHECK-NOT: @_Z4bothf
// CHECK: ret void

// Without a derivative to give, f is called as it is.
FORWARD void constant(const float *x, [[kernix::no_diff]] const float *c, float *y) {
  y[threadIdx.x] = x[threadIdx.x] * both(c[threadIdx.x]);
}
// CHECK-LABEL: define {{.*}}@_Z12constant_fwd
// CHECK: call {{.*}}float @_Z4bothf(
// CHECK-NOT: @_Z11bothForwardff
// CHECK: ret void

#ifdef NEGATIVE
// Only a forward rule, and no body.
BACKWARD void negativeMode(const float *x, float *y) {
  y[threadIdx.x] = both(x[threadIdx.x]);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: cannot differentiate 'negativeMode': {{.*}}has no body here and no rule
}

__device__ void fill(float x, float *to);
[[kernix::backward_derivative_of(fill)]] __device__ void fillBackward(float x, float *gx, float *to, float *gto);
BACKWARD void negativeTensor(const float *x, float *y) {
  fill(x[threadIdx.x], y + threadIdx.x);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}'fill' may write to 'y' through a pointer, and its derivative would have to change the gradient of an output
}

__device__ float sum(const float *p, int n);
[[kernix::backward_derivative_of(sum)]] __device__ void sumBackward(const float *p, float *gp, int n, float g);
BACKWARD void negativeChanged([[kernix::intent(inout_ptr)]] float *x, float *y) {
  x[threadIdx.x] = 2 * x[threadIdx.x];
  y[threadIdx.x] = sum(x + threadIdx.x, 1);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}'sum' reads 'x' after it may have been written
}
BACKWARD void negativeEither(const float *x, float *y, int c) {
  float a[2] = {x[threadIdx.x], 1}, b[2] = {1, x[threadIdx.x]};
  y[threadIdx.x] = sum(c ? a : b, 2);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}'p' may point to different objects
}

struct View {
  const float *value;
  float *gradient;
  float scale;
  __device__ void loadBackward(int i, float g) const {}
  [[kernix::backward_derivative(&View::loadBackward)]] __device__ float load(int i) const { return value[i] * scale; }
};
BACKWARD void negativeLost(const float *x, [[kernix::no_diff]] float *gx, float *y) {
  View v{x, gx, 1};
  y[threadIdx.x] = v.load(threadIdx.x);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}numbers with a derivative are read through 'self', for which the derivative of 'load' has no gradient
}
BACKWARD void negativeField([[kernix::no_diff]] const float *x, [[kernix::no_diff]] float *gx, const float *s, float *y) {
  View v{x, gx, s[threadIdx.x]};
  y[threadIdx.x] = v.load(threadIdx.x);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}numbers with a derivative are in 'self', for which the derivative of 'load' has no gradient
}

struct Moving {
  float *at;
  __device__ void nextBackward(float g) {}
  [[kernix::backward_derivative(&Moving::nextBackward)]] __device__ float next() { return *at++; }
};
BACKWARD void negativeMoving(const float *x, [[kernix::no_diff]] float *p, float *y) {
  Moving m{p};
  y[threadIdx.x] = m.next() * x[threadIdx.x];
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}the derivative of 'next' that is written by hand cannot be used here: 'self' may be changed and holds pointers, which could not be followed any more; declare the member function const
}

BACKWARD void negativeShared(const float *x, float *y) {
  __shared__ float s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = sum(s + 31 - threadIdx.x, 1);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}'p' points to shared memory, which the derivative of 'sum' would find as it is later; pass the values
}

__device__ float global;
BACKWARD void negativeGlobal(const float *x, float *y) {
  fill(x[threadIdx.x], &global);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}'fill' may write numbers with a derivative to memory that has none, through 'to'
  y[threadIdx.x] = x[threadIdx.x];
}

__device__ void putBackward(float *p, float *, float v, float *gv, float g);
[[kernix::backward_derivative(putBackward)]] __device__ float put([[kernix::no_diff]] float *p, float v);
BACKWARD void negativeWritten(const float *x, float *y) {
  float t = x[threadIdx.x] * 2;
  y[threadIdx.x] = put(&t, x[threadIdx.x]) + t;
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}'put' may write to numbers with a derivative through 'p', for which its own derivative has no gradient
}

// Slots for the gradients of an object's numbers are made of its members.
union Either {
  float number;
  int bits;
};
struct WithUnion {
  Either either;
  float factor;
};
__device__ void scaledByUnionBackward(WithUnion a, WithUnion *, float x, float *gx, float g);
[[kernix::backward_derivative(scaledByUnionBackward)]] __device__ float
scaledByUnion([[kernix::no_diff]] WithUnion a, float x);
BACKWARD void negativeUnion(const float *x, float *y) {
  WithUnion a = {};
  y[threadIdx.x] = scaledByUnion(a, x[threadIdx.x]);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}the derivative of 'scaledByUnion' that is written by hand cannot be used here: 'a' of type 'WithUnion' cannot be taken apart: there is a union in it
}

struct WithBits {
  float factor;
  int bits : 3;
};
__device__ void scaledByBitsBackward(WithBits a, WithBits *, float x, float *gx, float g);
[[kernix::backward_derivative(scaledByBitsBackward)]] __device__ float
scaledByBits([[kernix::no_diff]] WithBits a, float x);
BACKWARD void negativeBits(const float *x, float *y) {
  WithBits a = {2, 1};
  y[threadIdx.x] = scaledByBits(a, x[threadIdx.x]);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}the derivative of 'scaledByBits' that is written by hand cannot be used here: 'a' of type 'WithBits' cannot be taken apart: it has bit-fields
}

__device__ void sizedBackward(kernix::Tensor t, kernix::Tensor, float x, float *gx, float g);
[[kernix::backward_derivative(sizedBackward)]] __device__ float sized(kernix::Tensor t, float x);
BACKWARD void negativeUntyped(const float *x, float *y) {
  kernix::Tensor t;
  y[threadIdx.x] = sized(t, x[threadIdx.x]);
  // NEGATIVE: :[[@LINE-1]]:{{[0-9]+}}: error: {{.*}}the derivative of 'sized' that is written by hand cannot be used here: 't' has its element type only at run time
}
#endif
