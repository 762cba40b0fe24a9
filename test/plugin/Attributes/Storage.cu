// [[kernix::recompute]] and [[kernix::store]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::recompute]] float positive(float x) {
  [[kernix::store]] float y = x;
  [[kernix::recompute]] for (;;) {
  }
}
#endif
// DUMP: function positive: recompute@[[@LINE-6]]:3()
// DUMP: ForStmt at [[@LINE-5]]:25: recompute@[[@LINE-5]]:5()
// DUMP: local variable y at [[@LINE-7]]:27: store@[[@LINE-7]]:5()

#ifndef POSITIVE
[[kernix::store(1)]] float negativeArgument(float x);
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::store' takes no arguments
[[kernix::recompute, kernix::recompute]] float negativeTwice(float x);
// CHECK-DAG: :[[@LINE-1]]:22: error: 'kernix::recompute' is given twice
// CHECK-DAG: :[[@LINE-2]]:3: note: first given here
[[kernix::recompute, kernix::store]] float negativeBoth([[kernix::store]] float negativeParameter) {
// CHECK-DAG: :[[@LINE-1]]:59: error: 'kernix::store' cannot be applied to a parameter; it applies to functions, variables inside functions and loops
// CHECK-DAG: :[[@LINE-2]]:22: error: 'kernix::store' contradicts 'kernix::recompute'
// CHECK-DAG: :[[@LINE-3]]:3: note: 'kernix::recompute' is given here
  [[kernix::store, kernix::recompute]] float negativeLocal = 0;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::store' contradicts 'kernix::recompute'
// CHECK-DAG: :[[@LINE-2]]:20: note: 'kernix::recompute' is given here
  [[kernix::store, kernix::recompute]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:20: error: 'kernix::recompute' contradicts 'kernix::store'
// CHECK-DAG: :[[@LINE-2]]:5: note: 'kernix::store' is given here
  }
  [[kernix::recompute, kernix::store]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:24: error: 'kernix::store' contradicts 'kernix::recompute'
// CHECK-DAG: :[[@LINE-2]]:5: note: 'kernix::recompute' is given here
  }
  [[kernix::recompute(1)]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:23: error: 'kernix::recompute' takes no arguments
  }
  [[kernix::store]] negativeTwice(negativeLocal);
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::store' cannot be applied to a call statement; it applies to functions, variables inside functions and loops
}
[[kernix::recompute]] float negativeAcross(float x);
// CHECK-DAG: :[[@LINE-1]]:3: note: 'kernix::recompute' is given here
[[kernix::store]] float negativeAcross(float x);
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::store' contradicts 'kernix::recompute'
[[kernix::store]] float negativeGlobal;
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::store' cannot be applied to a variable outside functions; it applies to functions, variables inside functions and loops
void negativeStatic() {
  [[kernix::store]] static float kept;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::store' applies to variables of one thread, and 'kept' is static
}
__global__ void negativeShared() {
  [[kernix::recompute]] __shared__ float tile[4];
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::recompute' applies to variables of one thread, and 'tile' is __shared__
}
[[kernix::store]] __global__ void negativeEffect(float *x) {}
// CHECK-DAG: :[[@LINE-1]]:3: warning: 'kernix::store' has no effect: 'negativeEffect' is not differentiable
#endif
// CHECK: 13 errors generated
