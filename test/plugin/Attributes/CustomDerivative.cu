// [[kernix::forward_derivative]], [[kernix::backward_derivative]], and both with _of
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

namespace rules {
float forward(float, float);
void backward(float, float *, float);
template <class T> void any(T, T *, T);
void overloaded(float, float *, float);
void overloaded(double, double *, double);
} // namespace rules
float forward(float, float);

#ifdef POSITIVE
[[kernix::forward_derivative(forward), kernix::backward_derivative(rules::backward)]] float positive(float);
[[kernix::backward_derivative(&rules::backward)]] float positiveAddress(float);
[[kernix::backward_derivative(rules::overloaded)]] float positiveOverloaded(float);
[[kernix::backward_derivative(rules::any<float>)]] float positiveInstance(float);
template <class T> [[kernix::backward_derivative(rules::any<T>)]] T positiveTemplate(T);
[[kernix::forward_derivative_of(positive)]] float positiveForwardOf(float, float);
[[kernix::backward_derivative_of(rules::backward)]] void positiveBackwardOf(float, float *, float);
[[kernix::backward_derivative((void (*)(float, float *, float))rules::overloaded)]] float positiveCast(float);
#endif
// DUMP: function positive: forward_derivative@[[@LINE-9]]:3(forward) backward_derivative@[[@LINE-9]]:40(rules::backward)
// DUMP: function positiveAddress: backward_derivative@{{.*}}(&rules::backward)
// DUMP: function positiveOverloaded: backward_derivative@{{.*}}(rules::overloaded)
// DUMP: function positiveInstance: backward_derivative@{{.*}}(rules::any<float>)
// DUMP: function positiveTemplate: backward_derivative@{{.*}}(rules::any<T>)
// DUMP: function positiveForwardOf: forward_derivative_of@{{.*}}(positive)
// DUMP: function positiveBackwardOf: backward_derivative_of@{{.*}}(rules::backward)
// DUMP: function positiveCast: backward_derivative@{{.*}}((void (*)(float, float *, float))rules::overloaded)

#ifndef POSITIVE
int object;
[[kernix::forward_derivative]] float negativeNone(float);
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::forward_derivative' takes 1 argument, 0 given
[[kernix::backward_derivative(forward, forward)]] float negativeTwo(float);
// CHECK-DAG: :[[@LINE-1]]:40: error: 'kernix::backward_derivative' takes 1 argument, 2 given
[[kernix::backward_derivative(undeclared)]] float negativeUndeclared(float);
// CHECK-DAG: :[[@LINE-1]]:31: error: use of undeclared identifier 'undeclared'
[[kernix::backward_derivative(rules::undeclared)]] float negativeUndeclaredInNamespace(float);
// CHECK-DAG: :[[@LINE-1]]:38: error: no member named 'undeclared' in namespace 'rules'
[[kernix::backward_derivative("forward")]] float negativeString(float);
// CHECK-DAG: :[[@LINE-1]]:31: error: argument 1 of 'kernix::backward_derivative' must name a function
[[kernix::backward_derivative(3)]] float negativeNumber(float);
// CHECK-DAG: :[[@LINE-1]]:31: error: argument 1 of 'kernix::backward_derivative' must name a function
[[kernix::backward_derivative(object)]] float negativeObject(float);
// CHECK-DAG: :[[@LINE-1]]:31: error: argument 1 of 'kernix::backward_derivative' must name a function
[[kernix::backward_derivative(forward), kernix::backward_derivative(forward)]] float negativeTwice(float);
// CHECK-DAG: :[[@LINE-1]]:41: error: 'kernix::backward_derivative' is given twice
// CHECK-DAG: :[[@LINE-2]]:3: note: first given here
[[kernix::forward_derivative(forward)]] float negativeRedeclared(float);
// CHECK-DAG: :[[@LINE-1]]:3: note: earlier given here
[[kernix::forward_derivative(rules::forward)]] float negativeRedeclared(float);
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::forward_derivative' differs from that of an earlier declaration
[[kernix::forward_derivative_of(object)]] float negativeOfObject(float);
// CHECK-DAG: :[[@LINE-1]]:33: error: argument 1 of 'kernix::forward_derivative_of' must name a function
template <int N = 1> void ruleOfNumber(float, float *, float);
[[kernix::backward_derivative(ruleOfNumber<3>)]] float negativeNumber(float);
// CHECK-DAG: :[[@LINE-1]]:31: error: 'kernix::backward_derivative' takes no template arguments that are values: the arguments of a derivative are found by its type; name a function that passes them on
template <class T, bool B = false> void ruleOfTypeAndBool(T, T *, T);
template <class T> [[kernix::backward_derivative(&ruleOfTypeAndBool<T, true>)]] T negativeBool(T);
// CHECK-DAG: :[[@LINE-1]]:50: error: 'kernix::backward_derivative' takes no template arguments that are values
[[kernix::backward_derivative([](float, float *, float) {})]] float negativeLambda(float);
// CHECK-DAG: :[[@LINE-1]]:31: error: argument 1 of 'kernix::backward_derivative' must name a function
struct [[kernix::forward_derivative_of(forward)]] NegativeStruct {};
// CHECK-DAG: :[[@LINE-1]]:10: error: 'kernix::forward_derivative_of' cannot be applied to a struct; it applies to functions and constexpr function pointers
void around() {
  [[kernix::backward_derivative(forward)]] around();
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::backward_derivative' cannot be applied to a call statement; it applies to functions and constexpr function pointers
}
#endif
// CHECK: 15 errors generated
