// [[kernix::differentiable]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::differentiable]] __device__ float positive(float);
[[kernix::differentiable(forward)]] __device__ float positiveForward(float);
[[kernix::differentiable(backward)]] __device__ float positiveBackward(float);
[[kernix::differentiable(2)]] __device__ float positiveSecond(float);
#endif
// DUMP: function positive: differentiable@[[@LINE-5]]:3(forward, backward, 1)
// DUMP: function positiveForward: differentiable@[[@LINE-5]]:3(forward, 1)
// DUMP: function positiveBackward: differentiable@[[@LINE-5]]:3(backward, 1)
// DUMP: function positiveSecond: differentiable@[[@LINE-5]]:3(forward, backward, 2)

#ifndef POSITIVE
[[kernix::differentiable(backwards)]] float negativeMisspelt(float);
// CHECK-DAG: :[[@LINE-1]]:26: error: unknown word 'backwards' in 'kernix::differentiable'; did you mean 'backward'?
[[kernix::differentiable("forward")]] float negativeQuoted(float);
// CHECK-DAG: :[[@LINE-1]]:26: error: expected 'forward' or 'backward' as argument 1 of 'kernix::differentiable'
// CHECK-DAG: :[[@LINE-2]]:26: note: write the word without quotes
[[kernix::differentiable(0)]] float negativeZero(float);
// CHECK-DAG: :[[@LINE-1]]:26: error: 'kernix::differentiable' needs an integer of at least 1, not 0
[[kernix::differentiable(3)]] float negativeThird(float);
// CHECK-DAG: :[[@LINE-1]]:26: error: the order of 'kernix::differentiable' is 1 or 2
[[kernix::differentiable(2.0)]] float negativeReal(float);
// CHECK-DAG: :[[@LINE-1]]:26: error: expected 'forward' or 'backward' as argument 1 of 'kernix::differentiable'
[[kernix::differentiable(forward, backward)]] float negativeBoth(float);
// CHECK-DAG: :[[@LINE-1]]:35: error: use of undeclared identifier 'backward'
// CHECK-DAG: :[[@LINE-2]]:35: error: 'kernix::differentiable' takes at most 1 argument; without one it is for both directions
[[kernix::differentiable, kernix::differentiable(2)]] float negativeTwice(float);
// CHECK-DAG: :[[@LINE-1]]:27: error: 'kernix::differentiable' is given twice
// CHECK-DAG: :[[@LINE-2]]:3: note: first given here
[[kernix::no_diff, kernix::differentiable]] float negativeContradiction(float);
// CHECK-DAG: :[[@LINE-1]]:20: error: 'kernix::differentiable' contradicts 'kernix::no_diff'
// CHECK-DAG: :[[@LINE-2]]:3: note: 'kernix::no_diff' is given here
[[kernix::differentiable(2)]] float negativeRedeclared(float);
// CHECK-DAG: :[[@LINE-1]]:3: note: earlier given here
[[kernix::differentiable]] float negativeRedeclared(float);
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::differentiable' differs from that of an earlier declaration
template <int N> [[kernix::differentiable(N + 1)]] float negativeDependent(float);
// CHECK-DAG: :[[@LINE-1]]:43: error: the order of 'kernix::differentiable' is 1 or 2
void around([[kernix::differentiable]] float negativeParameter);
// CHECK-DAG: :[[@LINE-1]]:15: error: 'kernix::differentiable' cannot be applied to a parameter; it applies to functions and constexpr function pointers
// Nobody can ask for a derivative of these.
struct Negative {
  [[kernix::differentiable]] ~Negative();
// CHECK-DAG: :[[@LINE-1]]:5: warning: 'kernix::differentiable' has no effect: '~Negative' is a destructor [-Wkernix-no-effect]
  [[kernix::differentiable]] virtual float negativeVirtual(float);
// CHECK-DAG: :[[@LINE-1]]:5: warning: 'kernix::differentiable' has no effect: 'negativeVirtual' is virtual
  [[kernix::differentiable]] float positiveMember(float);
};
template <class T> struct Guided {
  Guided(T);
};
[[kernix::differentiable]] Guided(int) -> Guided<float>;
// CHECK-DAG: :[[@LINE-1]]:3: warning: 'kernix::differentiable' has no effect: '<deduction guide for Guided>' is a deduction guide
[[kernix::differentiable]] __global__ void negativeKernel(const float *x, float *y) { *y = *x; }
// CHECK-DAG: :[[@LINE-1]]:3: warning: 'kernix::differentiable' has no effect: 'negativeKernel' is not bound
#endif
// CHECK: 4 warnings and 12 errors generated
