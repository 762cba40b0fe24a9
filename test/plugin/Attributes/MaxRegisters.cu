// [[kernix::max_registers]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: not %cuda-host -fsyntax-only -DINSTANCE %s 2>&1 | FileCheck --check-prefix=INSTANCE %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::bind, kernix::differentiable, kernix::max_registers(64)]] __global__ void positive(const float *x, float *y) {}
template <int N>
[[kernix::bind, kernix::differentiable, kernix::instantiate("16"), kernix::max_registers(4 * N)]]
__global__ void positiveTemplate(const float *x, float *y) {}
__global__ void named(const float *x, float *y) {}
[[kernix::bind, kernix::differentiable, kernix::max_registers(255)]] constexpr auto positiveVariable = &named;
#endif
// DUMP: function positive: {{.*}} max_registers@[[@LINE-7]]:41(64)
// DUMP: function positiveTemplate: {{.*}} max_registers@[[@LINE-6]]:68(dependent)
// DUMP: variable positiveVariable: {{.*}} max_registers@[[@LINE-4]]:41(255)

#if !defined(POSITIVE) && !defined(INSTANCE)
[[kernix::bind, kernix::max_registers]] __global__ void negativeNone();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::max_registers' takes 1 argument, 0 given
[[kernix::bind, kernix::max_registers(32, 64)]] __global__ void negativeTwo();
// CHECK-DAG: :[[@LINE-1]]:43: error: 'kernix::max_registers' takes 1 argument, 2 given
[[kernix::bind, kernix::max_registers("64")]] __global__ void negativeString();
// CHECK-DAG: :[[@LINE-1]]:39: error: argument 1 of 'kernix::max_registers' must be an integer constant, not a string
[[kernix::bind, kernix::max_registers(15)]] __global__ void negativeFew();
// CHECK-DAG: :[[@LINE-1]]:39: error: 'kernix::max_registers' needs an integer of at least 16, not 15
[[kernix::bind, kernix::max_registers(256)]] __global__ void negativeMany();
// CHECK-DAG: :[[@LINE-1]]:39: error: a thread has at most 255 registers
[[kernix::bind, kernix::max_registers(32), kernix::max_registers(64)]] __global__ void negativeTwice();
// CHECK-DAG: :[[@LINE-1]]:44: error: 'kernix::max_registers' is given twice
// CHECK-DAG: :[[@LINE-2]]:17: note: first given here
[[kernix::bind, kernix::max_registers(32)]] __device__ void negativeDevice();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::max_registers' applies to kernels, and 'negativeDevice' is not declared __global__
// CHECK-DAG: :[[@LINE-2]]:61: note: 'negativeDevice' is declared here
[[kernix::max_registers(32)]] __global__ void negativeNotBound();
// CHECK-DAG: :[[@LINE-1]]:3: warning: 'kernix::max_registers' has no effect: 'negativeNotBound' is not bound [-Wkernix-no-effect]
[[kernix::bind, kernix::max_registers(32)]] __global__ void negativeNoDerivative(const float *x) {}
// CHECK-DAG: :[[@LINE-1]]:17: warning: 'kernix::max_registers' has no effect: 'negativeNoDerivative' is not 'kernix::differentiable', and this speaks of its derivatives [-Wkernix-no-effect]
typedef int NegativeType [[kernix::max_registers(32)]];
// CHECK-DAG: :[[@LINE-1]]:28: error: 'kernix::max_registers' cannot be applied to a type alias; it applies to functions and constexpr function pointers
#endif
// CHECK: 3 warnings and 8 errors generated

// Of an instance; whatever is wrong with the attributes themselves comes first.
#ifdef INSTANCE
template <int N>
[[kernix::bind, kernix::differentiable, kernix::instantiate("8"), kernix::max_registers(32 * N)]]
__global__ void negativeInstance(const float *x, float *y) {}
// INSTANCE: :[[@LINE-2]]:89: error: a thread has at most 255 registers
#endif
