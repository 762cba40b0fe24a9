// [[kernix::shape]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
#define AXIS "x.size(0)"
[[kernix::bind]] void positive(const float *x, [[kernix::shape("x")]] float *y,
                               [[kernix::shape(AXIS, R"(3)", "\x78.rank()")]] float *z);
#endif
// DUMP: parameter 1 y: shape@[[@LINE-3]]:50("x" [[@LINE-3]]:65-[[@LINE-3]]:66)
// DUMP: parameter 2 z: shape@[[@LINE-3]]:34("x.size(0)" {{.*}}, "3" {{.*}}, "x.rank()" [[@LINE-3]]:63-[[@LINE-3]]:74)

#ifndef POSITIVE
[[kernix::bind]] void negativeNone([[kernix::shape]] float *x);
// CHECK-DAG: :[[@LINE-1]]:38: error: 'kernix::shape' takes at least 1 argument, 0 given
[[kernix::bind]] void negativeEmpty([[kernix::shape()]] float *x);
// CHECK-DAG: :[[@LINE-1]]:39: error: 'kernix::shape' takes at least 1 argument, 0 given
[[kernix::bind]] void negativeWord([[kernix::shape(x)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:52: error: argument 1 of 'kernix::shape' must be a string in double quotes
[[kernix::bind]] void negativeNumber([[kernix::shape("3", 4)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:59: error: argument 2 of 'kernix::shape' must be a string in double quotes
[[kernix::bind]] void negativeRank([[kernix::shape("1", "1", "1", "1", "1", "1", "1", "1", "1")]] float *x);
// CHECK-DAG: :[[@LINE-1]]:92: error: 'kernix::shape' takes at most 8 arguments, 9 given
[[kernix::bind]] void negativeScalar([[kernix::shape("3")]] int x, [[kernix::shape("3")]] const double &y);
// CHECK-DAG: :[[@LINE-1]]:40: error: 'kernix::shape' applies to tensors, but the parameter has type 'int'
// CHECK-DAG: :[[@LINE-2]]:70: error: 'kernix::shape' applies to tensors, but the parameter has type 'const double &'
[[kernix::bind]] void negativeTwice([[kernix::shape("3"), kernix::shape("3")]] float *x);
// CHECK-DAG: :[[@LINE-1]]:59: error: 'kernix::shape' is given twice
// CHECK-DAG: :[[@LINE-2]]:39: note: first given here
void negativeNotBound([[kernix::shape("3")]] float *x);
// CHECK-DAG: :[[@LINE-1]]:25: warning: 'kernix::shape' has no effect: 'negativeNotBound' is not bound [-Wkernix-no-effect]
[[kernix::shape("3")]] float *negativeVariable;
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::shape' cannot be applied to a variable outside functions; it applies to parameters
#endif
// CHECK: 1 warning and 9 errors generated
