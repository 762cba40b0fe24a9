// [[kernix::optional]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::bind]] void positive([[kernix::optional]] const float *x);
#endif
// DUMP: parameter 0 x: optional@[[@LINE-2]]:34()

#ifndef POSITIVE
[[kernix::bind]] void negativeArgument([[kernix::optional(true)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:59: error: 'kernix::optional' takes no arguments
[[kernix::bind]] void negativeScalar([[kernix::optional]] int x);
// CHECK-DAG: :[[@LINE-1]]:40: error: 'kernix::optional' applies to tensors, but the parameter has type 'int'
[[kernix::bind]] void negativeHidden([[kernix::optional, kernix::intent(out_return)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:40: error: 'kernix::optional' contradicts 'kernix::intent'
// CHECK-DAG: :[[@LINE-2]]:58: note: 'kernix::intent' is given here
[[kernix::bind]] void negativeTwice([[kernix::optional, kernix::optional]] float *x);
// CHECK-DAG: :[[@LINE-1]]:57: error: 'kernix::optional' is given twice
// CHECK-DAG: :[[@LINE-2]]:39: note: first given here
void negativeNotBound([[kernix::optional]] float *x);
// CHECK-DAG: :[[@LINE-1]]:25: warning: 'kernix::optional' has no effect: 'negativeNotBound' is not bound [-Wkernix-no-effect]
struct S {
  [[kernix::optional]] float *negativeField;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::optional' cannot be applied to a data member; it applies to parameters
};
#endif
// CHECK: 1 warning and 5 errors generated
