// [[kernix::value]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::bind]] void positive(const float *x, [[kernix::value("x.numel()")]] int n,
                               [[kernix::value("n"), kernix::intent(in)]] const long &m);
template <class T> [[kernix::bind]] void positiveTemplate([[kernix::value("3")]] T n);
#endif
// DUMP: parameter 1 n: value@[[@LINE-4]]:50("x.numel()" [[@LINE-4]]:65-[[@LINE-4]]:74)
// DUMP: parameter 2 m: intent@{{.*}}(in) value@[[@LINE-4]]:34("n"
// DUMP: function positiveTemplate
// DUMP: parameter 0 n: value@

#ifndef POSITIVE
[[kernix::bind]] void negativeNone([[kernix::value]] int n);
// CHECK-DAG: :[[@LINE-1]]:38: error: 'kernix::value' takes 1 argument, 0 given
[[kernix::bind]] void negativeTwo([[kernix::value("1", "2")]] int n);
// CHECK-DAG: :[[@LINE-1]]:56: error: 'kernix::value' takes 1 argument, 2 given
[[kernix::bind]] void negativeNumber([[kernix::value(3)]] int n);
// CHECK-DAG: :[[@LINE-1]]:54: error: argument 1 of 'kernix::value' must be a string in double quotes
[[kernix::bind]] void negativeFloat([[kernix::value("3")]] float n);
// CHECK-DAG: :[[@LINE-1]]:39: error: 'kernix::value' computes an integer, but the parameter has type 'float'
[[kernix::bind]] void negativeBool([[kernix::value("3")]] bool n);
// CHECK-DAG: :[[@LINE-1]]:38: error: 'kernix::value' computes an integer, but the parameter has type 'bool'
[[kernix::bind]] void negativeTensor([[kernix::value("3")]] float *n);
// CHECK-DAG: :[[@LINE-1]]:40: error: 'kernix::value' computes an integer, but the parameter has type 'float *'
[[kernix::bind]] void negativeShape([[kernix::value("3"), kernix::shape("3")]] int n);
// CHECK-DAG: :[[@LINE-1]]:59: error: 'kernix::shape' applies to tensors, but the parameter has type 'int'
[[kernix::bind]] void negativeOptional([[kernix::optional, kernix::value("3")]] int n);
// CHECK-DAG: :[[@LINE-1]]:42: error: 'kernix::optional' applies to tensors, but the parameter has type 'int'
// CHECK-DAG: :[[@LINE-2]]:60: error: 'kernix::value' contradicts 'kernix::optional'
// CHECK-DAG: :[[@LINE-3]]:42: note: 'kernix::optional' is given here
[[kernix::bind]] void negativeOut([[kernix::value("3"), kernix::intent(out_return)]] int &n);
// CHECK-DAG: :[[@LINE-1]]:37: error: 'kernix::value' contradicts 'kernix::intent'
// CHECK-DAG: :[[@LINE-2]]:57: note: 'kernix::intent' is given here
[[kernix::bind]] void negativeTwice([[kernix::value("3"), kernix::value("4")]] int n);
// CHECK-DAG: :[[@LINE-1]]:59: error: 'kernix::value' is given twice
// CHECK-DAG: :[[@LINE-2]]:39: note: first given here
void negativeNotBound([[kernix::value("3")]] int n);
// CHECK-DAG: :[[@LINE-1]]:25: warning: 'kernix::value' has no effect: 'negativeNotBound' is not bound [-Wkernix-no-effect]
[[kernix::value("3")]] void negativeFunction();
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::value' cannot be applied to a function; it applies to parameters
#endif
// CHECK: 1 warning and 12 errors generated
