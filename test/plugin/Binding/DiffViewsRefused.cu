// RUN: not %cpu-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: not %cpu-host -fsyntax-only -DSECOND %s 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: not %cpu-host -fsyntax-only -DHOST %s 2>&1 | FileCheck %s --check-prefix=HOST
// REQUIRES: cpu
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;

#if !defined(SECOND) && !defined(HOST)
// CHECK: :[[@LINE+1]]:37: error: a tensor is passed by value: 'y' of type 'kernix::DiffTensorViewAA<float> &' is a reference
[[kernix::bind]] void host(  View  &y) { y.primal[0] = 1; }

// CHECK: :[[@LINE+1]]:57: error: a kernel cannot take 'x' by reference
[[kernix::bind]] __global__ void reference(const View & x, View y) { y[0] = x[0]; }

__device__ void elsewhere(View &);
// CHECK: :[[@LINE+2]]:47: error: whether 'x' is read or written cannot be seen
// CHECK: :[[@LINE+1]]:47: note: declare it const if it is an input, else give it an intent: {{\[\[}}kernix::intent(out_ptr)]] or {{\[\[}}kernix::intent(inout_ptr)]]
[[kernix::bind]] __global__ void unseen(View  x, View y) {
  elsewhere(x);
  y[0] = 1;
}

// CHECK: :[[@LINE+2]]:8: error: 'x' is declared const, an input, but 'writes' writes to it here
[[kernix::bind]] __global__ void writes(const View x, View y) {
  x[0] = 1;
  y[0] = 1;
}

// CHECK: :[[@LINE+1]]:88: error: 'x' of type 'kernix::DiffTensorViewAA<const float>' cannot be bound: the rules of a differentiable view are those of 'float'; write that, and const before the view
[[kernix::bind]] __global__ void elements(const kernix::DiffTensorViewAA<const float>  x, View y) { y[0] = x[0]; }

struct Big : View {
  int n;
};
// CHECK: :[[@LINE+1]]:50: error: 'x' of type 'Big' cannot be bound: it has fields of its own, which no caller knows; make them parameters of the kernel
[[kernix::bind]] __global__ void big(const Big   x, View y) { y[0] = x[0]; }

// CHECK: :[[@LINE+2]]:71: error: 'x' is both read and written, and a differentiable view that is has no derivative yet
// CHECK: :[[@LINE+1]]:71: note: read from one view and write to another, or use kernix::TensorView<T>
[[kernix::bind, kernix::differentiable]] __global__ void inout(View   x, View y) {
  x[0] = x[0] * 2;
  y[0] = 1;
}

// CHECK: :[[@LINE+1]]:110: error: 'y' is both read and written, and a differentiable view that is has no derivative yet
[[kernix::bind, kernix::differentiable]] __global__ void back(const View x, [[kernix::intent(out_ptr)]] View y) {
  y[0] = x[0];
  y[1] = y[0];
}

// CHECK: :[[@LINE+2]]:114: error: 'y' is an output, but 'onlyRead' only reads it
// CHECK: :[[@LINE+1]]:114: note: declare it const to make it an input
[[kernix::bind, kernix::differentiable]] __global__ void onlyRead(const View x, [[kernix::intent(out_ptr)]] View y, View z) {
  z[0] = x[0] * y[0];
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: error: an element of 'x' becomes an integer here, as the other side of ?: is; write that as a floating-point number, or use load
[[kernix::bind]] __global__ void integer(const View x, const kernix::DiffTensorViewAA<int> k, View y) {
  y[0] = x[threadIdx.x < 2 ? k[0] : 0] + (k[1] ? x[0] : 0);
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: error: an element of 'x' becomes an integer here, as the other side of ?: is
[[kernix::bind, kernix::differentiable]] __global__ void truth(const View x, View y, bool given) {
  y[0] = given ? x[0] : false;
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: error: an element of 'x' becomes an integer here, as the other side of ?: is
[[kernix::bind, kernix::differentiable]] __global__ void otherTruth(const View x, View y, bool given) {
  y[0] = given ? true : x[0];
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: error: an element of 'x' becomes an integer here, as the other side of ?: is
[[kernix::bind, kernix::differentiable]] __global__ void orNothing(const View x, View y) {
  y[0] = x[0] ?: 0;
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: error: an element of 'x' becomes an integer here, as the other side of ?: is
[[kernix::bind, kernix::differentiable]] __global__ void orFalse(const View x, View y) {
  y[0] = x[0] ?: false;
}

// What is only tested, and numbers as numbers.
[[kernix::bind, kernix::differentiable]] __global__ void tested(const View x, const View z, View y, bool given) {
  y[0] = (x[0] ? 2.0f : 3.0f) * (x[1] ?: 1.0f) * (given ? x[2] : 0.0f) * (z[0] ?: z[1]) * (x[3] ? given : false);
}

// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'diff(unique)' has no meaning for 'x': how the gradient of a view accumulates is said by the member that loads
[[kernix::bind, kernix::differentiable]] __global__ void word([[kernix::diff(unique)]] const View x, View y) {
  y[0] = x[0];
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: error: 'x' needs scratch memory for its gradient, which calls of kernels have; 'scratch' is a device function
[[kernix::bind, kernix::differentiable]] __device__ float
scratch(kernix::DiffTensorViewR<float, 2> x) { return x[0]; }

#elif defined(HOST)
// HOST: :[[@LINE+2]]:{{[0-9]+}}: error: 'x' is a differentiable view, whose derivatives are for device code, in a host function
// HOST: :[[@LINE+1]]:{{[0-9]+}}: note: name a derivative that you write with {{\[\[}}kernix::forward_derivative(...)]]
[[kernix::bind, kernix::differentiable]] void alone(const View x, View y) { y.primal[0] = x.primal[0]; }

#else
// SECOND: :[[@LINE+1]]:80: error: 'x' is a differentiable view, whose gradient has no derivative; use kernix::TensorView<T> for second derivatives
[[kernix::bind, kernix::differentiable(2)]] __global__ void twice(const View   x, View y) { y[0] = x[0]; }
#endif
