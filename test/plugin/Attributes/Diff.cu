// [[kernix::diff]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::differentiable]] void positive([[kernix::diff]] float a, [[kernix::diff(atomic)]] const float *b,
                                         [[kernix::diff(warp)]] const float *c, [[kernix::diff(unique)]] const float *d,
                                         [[kernix::diff(once)]] const float *e,
                                         [[kernix::diff(replicated, 8)]] const float *f,
                                         [[kernix::diff(scatter, 4)]] const float *g);
void rule(float);
[[kernix::backward_derivative(rule)]] void positiveCustom([[kernix::diff]] float a);
#endif
// DUMP: parameter 0 a: diff@[[@LINE-8]]:44()
// DUMP: parameter 1 b: diff@{{.*}}(atomic)
// DUMP: parameter 2 c: diff@{{.*}}(warp)
// DUMP: parameter 3 d: diff@{{.*}}(unique)
// DUMP: parameter 4 e: diff@{{.*}}(once)
// DUMP: parameter 5 f: diff@{{.*}}(replicated, 8)
// DUMP: parameter 6 g: diff@{{.*}}(scatter, 4)

#ifndef POSITIVE
[[kernix::differentiable]] void negativeMisspelt([[kernix::diff(atomics)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:65: error: unknown word 'atomics' in 'kernix::diff'; did you mean 'atomic'?
[[kernix::differentiable]] void negativeNumber([[kernix::diff(4)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:63: error: expected 'atomic', 'warp', 'unique', 'once', 'replicated' or 'scatter' as argument 1 of 'kernix::diff'
[[kernix::differentiable]] void negativeUnwantedNumber([[kernix::diff(once, 4)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:77: error: 'kernix::diff(once)' takes no number
[[kernix::differentiable]] void negativeNoReplicas([[kernix::diff(replicated)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:67: error: 'kernix::diff(replicated)' needs the number of replicas
[[kernix::differentiable]] void negativeNoSlots([[kernix::diff(scatter)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:64: error: 'kernix::diff(scatter)' needs the number of notes
[[kernix::differentiable]] void negativeZero([[kernix::diff(replicated, 0)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:73: error: 'kernix::diff' needs an integer of at least 1, not 0
[[kernix::differentiable]] void negativeThree([[kernix::diff(replicated, 2, 3)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:77: error: 'kernix::diff' takes at most 2 arguments, 3 given
[[kernix::differentiable]] void negativeTwice([[kernix::diff, kernix::diff(once)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:63: error: 'kernix::diff' is given twice
// CHECK-DAG: :[[@LINE-2]]:49: note: first given here
[[kernix::differentiable]] void negativeContradiction([[kernix::diff, kernix::no_diff]] float *x);
// CHECK-DAG: :[[@LINE-1]]:57: error: 'kernix::diff' contradicts 'kernix::no_diff'
// CHECK-DAG: :[[@LINE-2]]:71: note: 'kernix::no_diff' is given here
[[kernix::differentiable]] void negativeAcross([[kernix::diff]] float *x);
// CHECK-DAG: :[[@LINE-1]]:50: error: 'kernix::diff' contradicts 'kernix::no_diff'
void negativeAcross([[kernix::no_diff]] float *x);
// CHECK-DAG: :[[@LINE-1]]:23: note: 'kernix::no_diff' is given here
[[kernix::differentiable]] void negativeInteger([[kernix::diff]] int x, [[kernix::diff]] const int *y);
// CHECK-DAG: :[[@LINE-1]]:51: error: 'kernix::diff' needs a floating-point value, but the parameter has type 'int'
// CHECK-DAG: :[[@LINE-2]]:75: error: 'kernix::diff' needs a floating-point value, but the parameter has type 'const int *'
[[kernix::differentiable]] void negativeVoid([[kernix::diff]] void *x);
// CHECK-DAG: :[[@LINE-1]]:48: error: 'kernix::diff' needs a floating-point value, but the parameter has type 'void *'
[[kernix::bind]] void negativeNotDifferentiable([[kernix::diff]] float *x);
// CHECK-DAG: :[[@LINE-1]]:51: warning: 'kernix::diff' has no effect: 'negativeNotDifferentiable' is not differentiable [-Wkernix-no-effect]
[[kernix::diff]] void negativeFunction();
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::diff' cannot be applied to a function; it applies to parameters
#endif
// CHECK: 1 warning and 14 errors generated
