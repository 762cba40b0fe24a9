// [[kernix::block]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
constexpr unsigned Threads = 128;
[[kernix::bind, kernix::block(256)]] __global__ void positive();
[[kernix::bind, kernix::block(Threads)]] __global__ void positiveConstant();
[[kernix::bind, kernix::block(16, 16, "n")]] __global__ void positiveThree(int n);
#endif
// DUMP: function positive: bind@{{.*}} block@[[@LINE-4]]:17(256)
// DUMP: function positiveConstant: bind@{{.*}} block@[[@LINE-4]]:17(128)
// DUMP: function positiveThree: bind@{{.*}} block@[[@LINE-4]]:17(16, 16, "n" [[@LINE-4]]:40-[[@LINE-4]]:41)

#ifndef POSITIVE
[[kernix::bind, kernix::block()]] __global__ void negativeNone();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::block' takes at least 1 argument, 0 given
[[kernix::bind, kernix::block(1, 2, 3, 4)]] __global__ void negativeFour();
// CHECK-DAG: :[[@LINE-1]]:40: error: 'kernix::block' takes at most 3 arguments, 4 given
[[kernix::bind, kernix::block(0)]] __global__ void negativeZero();
// CHECK-DAG: :[[@LINE-1]]:31: error: 'kernix::block' needs an integer of at least 1, not 0
[[kernix::bind, kernix::block(1025)]] __global__ void negativeLarge();
// CHECK-DAG: :[[@LINE-1]]:31: error: a block has at most 1024 threads, and at most 64 in z
[[kernix::bind, kernix::block(64, 32)]] __global__ void negativeProduct();
// CHECK-DAG: :[[@LINE-1]]:35: error: a block has at most 1024 threads, and at most 64 in z
[[kernix::bind, kernix::block(1, 1, 65)]] __global__ void negativeDepth();
// CHECK-DAG: :[[@LINE-1]]:37: error: a block has at most 1024 threads, and at most 64 in z
[[kernix::bind, kernix::block(32), kernix::block(32)]] __global__ void negativeTwice();
// CHECK-DAG: :[[@LINE-1]]:36: error: 'kernix::block' is given twice
// CHECK-DAG: :[[@LINE-2]]:17: note: first given here
[[kernix::bind, kernix::block(32)]] void negativeHost();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::block' applies to kernels, and 'negativeHost' is not declared __global__
// CHECK-DAG: :[[@LINE-2]]:42: note: 'negativeHost' is declared here
[[kernix::block(32)]] __global__ void negativeNotBound();
// CHECK-DAG: :[[@LINE-1]]:3: warning: 'kernix::block' has no effect: 'negativeNotBound' is not bound [-Wkernix-no-effect]
void around() {
  [[kernix::block(32)]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::block' cannot be applied to a loop; it applies to functions and constexpr function pointers
  }
}
#endif
// CHECK: 1 warning and 9 errors generated
