// [[kernix::max_iters]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
template <int N> [[kernix::differentiable]] void positive(int n) {
  [[kernix::max_iters(64)]] for (int i = 0; i < n; ++i)
    [[kernix::max_iters(N * 2)]] while (n > 0)
      --n;
  [[kernix::max_iters(N)]] do {
    --n;
  } while (n > 0);
  int list[3] = {};
  [[kernix::max_iters(3), kernix::store]] for (int &x : list) {
  }
}
template void positive<5>(int);
#endif
// DUMP: function positive:
// DUMP: function positive<5>: differentiable
// DUMP-NEXT: ForStmt at [[@LINE-14]]:29: max_iters@[[@LINE-14]]:5(64)
// DUMP-NEXT: WhileStmt at [[@LINE-14]]:34: max_iters@[[@LINE-14]]:7(10 here)
// DUMP-NEXT: DoStmt at [[@LINE-13]]:28: max_iters@[[@LINE-13]]:5(5 here)
// DUMP-NEXT: CXXForRangeStmt at [[@LINE-10]]:43: max_iters@[[@LINE-10]]:5(3) store@[[@LINE-10]]:27()

#ifndef POSITIVE
[[kernix::max_iters(3)]] void negativeFunction(int n) {
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::max_iters' cannot be applied to a function; it applies to loops
// CHECK-DAG: :[[@LINE-2]]:52: note: declared here
  [[kernix::max_iters]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::max_iters' takes 1 argument, 0 given
  }
  [[kernix::max_iters(1, 2)]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:26: error: 'kernix::max_iters' takes 1 argument, 2 given
  }
  [[kernix::max_iters(0)]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:23: error: 'kernix::max_iters' needs an integer of at least 1, not 0
  }
  [[kernix::max_iters("3")]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:23: error: argument 1 of 'kernix::max_iters' must be an integer constant, not a string
  }
  [[kernix::max_iters(n)]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:23: error: expression is not an integral constant expression
// CHECK-DAG: :[[@LINE-2]]:23: note: function parameter 'n' with unknown value cannot be used in a constant expression
  }
  [[kernix::max_iters(unknown)]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:23: error: use of undeclared identifier 'unknown'
  }
  [[kernix::max_iters(3), kernix::max_iters(3)]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:27: error: 'kernix::max_iters' is given twice
// CHECK-DAG: :[[@LINE-2]]:5: note: first given here
  }
  [[kernix::max_iters(3)]] ++n;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::max_iters' cannot be applied to an expression statement; it applies to loops
  [[kernix::max_iters(3)]] int negativeVariable;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::max_iters' cannot be applied to a variable inside a function; it applies to loops
}
#endif
// CHECK: 10 errors generated
