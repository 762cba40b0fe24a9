// [[kernix::grid]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: not %cuda-device -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::bind, kernix::grid("ceil_div(n, block.x)", 2, "n")]] __global__ void positive(int n);
[[kernix::bind]] __global__ [[kernix::grid(7)]] void positiveAfter();
__global__ void positiveUnannotated();
[[kernix::bind("by_variable"), kernix::grid("1")]] constexpr auto positiveVariable = &positiveUnannotated;
template <int Blocks> [[kernix::bind, kernix::grid(Blocks)]] __global__ void positiveTemplate() {}
template __global__ void positiveTemplate<5>();
#endif
// DUMP: function positive: bind@{{.*}} grid@[[@LINE-7]]:17("ceil_div(n, block.x)" [[@LINE-7]]:31-[[@LINE-7]]:51, 2, "n" [[@LINE-7]]:58-[[@LINE-7]]:59)
// DUMP: function positiveAfter: bind@{{.*}} grid@[[@LINE-7]]:31(7)
// DUMP: variable positiveVariable: bind@{{.*}} grid@[[@LINE-6]]:32("1"
// DUMP: function positiveTemplate: bind@{{.*}} grid@{{.*}}(dependent)
// DUMP: function positiveTemplate<5>: bind@{{.*}} grid@{{.*}}(5 here)

#ifndef POSITIVE
[[kernix::bind, kernix::grid]] __global__ void negativeNone();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::grid' takes at least 1 argument, 0 given
[[kernix::bind, kernix::grid(1, 2, 3, 4)]] __global__ void negativeFour();
// CHECK-DAG: :[[@LINE-1]]:39: error: 'kernix::grid' takes at most 3 arguments, 4 given
[[kernix::bind, kernix::grid(0)]] __global__ void negativeZero();
// CHECK-DAG: :[[@LINE-1]]:30: error: 'kernix::grid' needs an integer of at least 1, not 0
[[kernix::bind, kernix::grid(1, -1)]] __global__ void negativeMinus();
// CHECK-DAG: :[[@LINE-1]]:33: error: 'kernix::grid' needs an integer of at least 1, not -1
[[kernix::bind, kernix::grid(unknown)]] __global__ void negativeUndeclared();
// CHECK-DAG: :[[@LINE-1]]:30: error: use of undeclared identifier 'unknown'
[[kernix::bind, kernix::grid(1.5)]] __global__ void negativeReal();
// CHECK-DAG: :[[@LINE-1]]:30: error: integral constant expression must have integral or unscoped enumeration type, not 'double'
[[kernix::bind, kernix::grid(99999999999999999999u)]] __global__ void negativeHuge();
// CHECK-DAG: :[[@LINE-1]]:30: error: integer literal is too large to be represented in any integer type
[[kernix::bind, kernix::grid(0xffffffffffffffff)]] __global__ void negativeTooLarge();
// CHECK-DAG: :[[@LINE-1]]:30: error: 'kernix::grid' needs a 64-bit integer
[[kernix::bind, kernix::grid(1), kernix::grid(1)]] __global__ void negativeTwice();
// CHECK-DAG: :[[@LINE-1]]:34: error: 'kernix::grid' is given twice
// CHECK-DAG: :[[@LINE-2]]:17: note: first given here
[[kernix::bind, kernix::grid(1)]] void negativeHost();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::grid' applies to kernels, and 'negativeHost' is not declared __global__
// CHECK-DAG: :[[@LINE-2]]:40: note: 'negativeHost' is declared here
// CHECK-DAG: :[[@LINE-3]]:40: note: 'negativeHost' is declared here
[[kernix::bind, kernix::grid(1)]] __device__ void negativeDevice();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::grid' applies to kernels, and 'negativeDevice' is not declared __global__
// CHECK-DAG: :[[@LINE-2]]:51: note: 'negativeDevice' is declared here
[[kernix::bind, kernix::grid(1)]] constexpr auto negativeVariable = &negativeHost;
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::grid' applies to kernels, and 'negativeHost' is not declared __global__
[[kernix::grid(1)]] __global__ void negativeNotBound();
// CHECK-DAG: :[[@LINE-1]]:3: warning: 'kernix::grid' has no effect: 'negativeNotBound' is not bound [-Wkernix-no-effect]
[[kernix::grid(1)]] int negativeObject;
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::grid' on a variable needs 'kernix::bind' beside it: it speaks of the function that the variable binds
int negativeMutable;
// CHECK-DAG: :[[@LINE-1]]:5: note: declared here
[[kernix::bind, kernix::grid(negativeMutable)]] __global__ void negativeNotConstant();
// CHECK-DAG: :[[@LINE-1]]:30: error: expression is not an integral constant expression
// CHECK-DAG: :[[@LINE-2]]:30: note: read of non-const variable 'negativeMutable' is not allowed in a constant expression
#endif
// CHECK: 1 warning and 14 errors generated
