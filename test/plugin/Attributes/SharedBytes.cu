// [[kernix::shared_bytes]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::bind, kernix::shared_bytes("4 * block.x")]] __global__ void positive();
[[kernix::bind, kernix::shared_bytes(sizeof(float) * 32)]] __global__ void positiveConstant();
[[kernix::bind, kernix::shared_bytes(0)]] __global__ void positiveZero();
#endif
// DUMP: function positive: bind@{{.*}} shared_bytes@[[@LINE-4]]:17("4 * block.x" [[@LINE-4]]:39-[[@LINE-4]]:50)
// DUMP: function positiveConstant: bind@{{.*}} shared_bytes@[[@LINE-4]]:17(128)
// DUMP: function positiveZero: bind@{{.*}} shared_bytes@[[@LINE-4]]:17(0)

#ifndef POSITIVE
[[kernix::bind, kernix::shared_bytes]] __global__ void negativeNone();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::shared_bytes' takes 1 argument, 0 given
[[kernix::bind, kernix::shared_bytes(1, 2)]] __global__ void negativeTwo();
// CHECK-DAG: :[[@LINE-1]]:41: error: 'kernix::shared_bytes' takes 1 argument, 2 given
[[kernix::bind, kernix::shared_bytes(-1)]] __global__ void negativeMinus();
// CHECK-DAG: :[[@LINE-1]]:38: error: 'kernix::shared_bytes' needs an integer of at least 0, not -1
[[kernix::bind, kernix::shared_bytes(1), kernix::shared_bytes(2)]] __global__ void negativeTwice();
// CHECK-DAG: :[[@LINE-1]]:42: error: 'kernix::shared_bytes' is given twice
// CHECK-DAG: :[[@LINE-2]]:17: note: first given here
[[kernix::bind, kernix::shared_bytes(1)]] __device__ void negativeDevice();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::shared_bytes' applies to kernels, and 'negativeDevice' is not declared __global__
// CHECK-DAG: :[[@LINE-2]]:59: note: 'negativeDevice' is declared here
[[kernix::shared_bytes(1)]] __global__ void negativeNotBound();
// CHECK-DAG: :[[@LINE-1]]:3: warning: 'kernix::shared_bytes' has no effect: 'negativeNotBound' is not bound [-Wkernix-no-effect]
typedef int NegativeType [[kernix::shared_bytes(1)]];
// CHECK-DAG: :[[@LINE-1]]:28: error: 'kernix::shared_bytes' cannot be applied to a type alias; it applies to functions and constexpr function pointers
#endif
// CHECK: 1 warning and 6 errors generated
