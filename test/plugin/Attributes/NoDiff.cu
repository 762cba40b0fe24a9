// [[kernix::no_diff]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::no_diff]] float positiveFunction(float);
[[kernix::no_diff]] __device__ float positiveGlobal;
struct Point {
  Point(float);
};
template <class T> void positive([[kernix::no_diff]] T x) {
  [[kernix::no_diff]] float a = x, b = x;
  [[kernix::no_diff]] positiveFunction(a);
  [[kernix::no_diff]] b = positiveFunction(a) + 1;
  [[kernix::no_diff]] Point(1.f);
  auto positiveLambda = []([[kernix::no_diff]] float y) { return y; };
}
template void positive<float>(float);
#endif
// DUMP: function positiveFunction: no_diff@[[@LINE-14]]:3()
// DUMP: variable positiveGlobal: no_diff@[[@LINE-14]]:3()
// DUMP: function positive: nothing
// DUMP: parameter 0 x: no_diff@[[@LINE-12]]:36()
// DUMP-NEXT: at [[@LINE-11]]:23: no_diff@[[@LINE-11]]:5()
// DUMP-NEXT: at [[@LINE-11]]:23: no_diff@[[@LINE-11]]:5()
// DUMP-NEXT: at [[@LINE-11]]:23: no_diff@[[@LINE-11]]:5()
// DUMP: function positive<float>: nothing
// DUMP: parameter 0 x: no_diff@
// DUMP: local variable a at [[@LINE-17]]:29: no_diff@[[@LINE-17]]:5()
// DUMP: local variable b at [[@LINE-18]]:36: no_diff@[[@LINE-18]]:5()

#ifndef POSITIVE
[[kernix::no_diff(1)]] float negativeArgument(float);
// CHECK-DAG: :[[@LINE-1]]:19: error: 'kernix::no_diff' takes no arguments
[[kernix::no_diff, kernix::no_diff]] float negativeTwice(float);
// CHECK-DAG: :[[@LINE-1]]:20: error: 'kernix::no_diff' is given twice
// CHECK-DAG: :[[@LINE-2]]:3: note: first given here
void rule(float, float *, float);
[[kernix::no_diff, kernix::backward_derivative(rule)]] float negativeRule(float);
// CHECK-DAG: :[[@LINE-1]]:20: error: 'kernix::backward_derivative' contradicts 'kernix::no_diff'
// CHECK-DAG: :[[@LINE-2]]:3: note: 'kernix::no_diff' is given here
float around(float x) {
  int i = 0;
  [[kernix::no_diff]] i = 3;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' speaks of the calls in a statement, and this one has none that gives or writes numbers; write it on the variable that takes the value
  [[kernix::no_diff]];
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to an empty statement; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
  [[kernix::no_diff]] {
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a block; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
  }
  [[kernix::no_diff]] if (x > 0) {
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to an if statement; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
  }
  [[kernix::no_diff]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a loop; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
  }
  [[kernix::no_diff]] switch (i) {
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a switch statement; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
  [[kernix::no_diff]] case 1:
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a case label; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
    break;
  }
  [[kernix::no_diff]] label:
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a label; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
  [[kernix::no_diff]] try {
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a try block; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
  } catch (...) {
  }
  [[kernix::no_diff(3)]] negativeTwice(x);
// CHECK-DAG: :[[@LINE-1]]:21: error: 'kernix::no_diff' takes no arguments
  [[kernix::no_diff]] [[kernix::no_diff]] negativeTwice(x);
// CHECK-DAG: :[[@LINE-1]]:25: error: 'kernix::no_diff' is given twice
// CHECK-DAG: :[[@LINE-2]]:5: note: first given here
  [[kernix::no_diff]] return negativeTwice(x);
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a return statement; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
}
// What is read through a reference or a pointer is not computed by the call.
[[kernix::no_diff]] const float &negativeReference(int);
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::no_diff' cannot be applied to a function that returns a reference: what is read through it is not computed by the function; write it on the variables that take the values
[[kernix::no_diff]] float *negativePointer(int);
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::no_diff' cannot be applied to a function that returns a pointer
struct Vector {
  float x;
};
const float &element(const float *, int);
const Vector *vector(int);
const int &number(int);
float through(const float *p, float x) {
  [[kernix::no_diff]] x = element(p, 1);
// CHECK-DAG: :[[@LINE-1]]:27: error: 'kernix::no_diff' cannot be applied to this call, which gives a reference: what is read through it is not computed by the call; write it on the variable that takes the value
  [[kernix::no_diff]] x = vector(1)->x * 2;
// CHECK-DAG: :[[@LINE-1]]:27: error: 'kernix::no_diff' cannot be applied to this call, which gives a pointer
  [[kernix::no_diff]] x = vector(1)[2].x;
// CHECK-DAG: :[[@LINE-1]]:27: error: 'kernix::no_diff' cannot be applied to this call, which gives a pointer
  [[kernix::no_diff]] x = *negativePointer(1);
// CHECK-DAG: :[[@LINE-1]]:28: error: 'kernix::no_diff' cannot be applied to this call, which gives a pointer
  [[kernix::no_diff]] x = negativeArgument(x) + number(2);
  return x;
}
__shared__ float shared[32];
__global__ void inSharedMemory() {
  [[kernix::no_diff]] __shared__ float array[32];
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a __shared__ variable; write it on a pointer through which the variable is read, or on the variables that take its values
  [[kernix::no_diff]] extern __shared__ float dynamic[];
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a __shared__ variable
  [[kernix::no_diff]] float (&reference)[32] = shared;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a reference to a __shared__ variable
  [[kernix::no_diff]] float *pointer = array, value = shared[0];
}
[[kernix::no_diff]] __shared__ float outside[32];
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::no_diff' cannot be applied to a __shared__ variable
struct [[kernix::no_diff]] NegativeStruct {
// CHECK-DAG: :[[@LINE-1]]:10: error: 'kernix::no_diff' cannot be applied to a struct; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
  [[kernix::no_diff]] float field;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::no_diff' cannot be applied to a data member; it applies to functions, variables outside functions, parameters, variables inside functions and call statements
};
#endif
// CHECK: 27 errors generated
