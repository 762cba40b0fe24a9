// [[kernix::capability]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::bind, kernix::capability(tensor_cores, 2.0, 1)]] __global__ void positive();
constexpr double Factor = 1.5;
[[kernix::bind, kernix::capability(plain, Factor)]] __global__ void positivePlain();
[[kernix::bind("v"), kernix::capability(plain)]] constexpr auto positiveVariable = &positive;
#endif
// DUMP: function positive: bind@{{.*}} capability@[[@LINE-5]]:17(tensor_cores, 2.00, 1.00)
// DUMP: function positivePlain: bind@{{.*}} capability@[[@LINE-4]]:17(plain, 1.50, 1.00)
// DUMP: variable positiveVariable: bind@{{.*}} capability@[[@LINE-4]]:22(plain, 1.00, 1.00)

#ifndef POSITIVE
[[kernix::bind, kernix::capability]] void negativeNone();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::capability' takes at least 1 argument, 0 given
[[kernix::bind, kernix::capability(tensor_core)]] void negativeMisspelt();
// CHECK-DAG: :[[@LINE-1]]:36: error: unknown word 'tensor_core' in 'kernix::capability'; did you mean 'tensor_cores'?
[[kernix::bind, kernix::capability(2.0)]] void negativeNoWord();
// CHECK-DAG: :[[@LINE-1]]:36: error: expected string literal as argument of 'capability' attribute
[[kernix::bind, kernix::capability(plain, "2.0")]] void negativeString();
// CHECK-DAG: :[[@LINE-1]]:43: error: argument 2 of 'kernix::capability' must be a constant number
[[kernix::bind, kernix::capability(plain, 0)]] void negativeZero();
// CHECK-DAG: :[[@LINE-1]]:43: error: argument 2 of 'kernix::capability' must be positive and finite
[[kernix::bind, kernix::capability(plain, 1.0, -1.0)]] void negativeMinus();
// CHECK-DAG: :[[@LINE-1]]:48: error: argument 3 of 'kernix::capability' must be positive and finite
[[kernix::bind, kernix::capability(plain, -1)]] void negativeInteger();
// CHECK-DAG: :[[@LINE-1]]:43: error: argument 2 of 'kernix::capability' must be positive and finite
[[kernix::bind, kernix::capability(plain, __builtin_inf())]] void negativeInfinite();
// CHECK-DAG: :[[@LINE-1]]:43: error: argument 2 of 'kernix::capability' must be positive and finite
[[kernix::bind, kernix::capability(plain, __builtin_nan(""))]] void negativeNan();
// CHECK-DAG: :[[@LINE-1]]:43: error: argument 2 of 'kernix::capability' must be positive and finite
[[kernix::bind, kernix::capability(plain, 1, 1, 1)]] void negativeFour();
// CHECK-DAG: :[[@LINE-1]]:49: error: 'kernix::capability' takes at most 3 arguments, 4 given
[[kernix::bind, kernix::capability(plain), kernix::capability(plain)]] void negativeTwice();
// CHECK-DAG: :[[@LINE-1]]:44: error: 'kernix::capability' is given twice
// CHECK-DAG: :[[@LINE-2]]:17: note: first given here
[[kernix::capability(plain)]] void negativeNotBound();
// CHECK-DAG: :[[@LINE-1]]:3: warning: 'kernix::capability' has no effect: 'negativeNotBound' is not bound [-Wkernix-no-effect]
double mutableFactor;
[[kernix::bind, kernix::capability(plain, mutableFactor)]] void negativeNotConstant();
// CHECK-DAG: :[[@LINE-1]]:43: error: argument 2 of 'kernix::capability' must be a constant number
#endif
// CHECK: 1 warning and 12 errors generated
