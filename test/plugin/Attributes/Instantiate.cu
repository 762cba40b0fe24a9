// [[kernix::instantiate]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
template <class T> [[kernix::bind, kernix::instantiate("float", "unsigned int")]] __global__ void positive(T *x);
#endif
// DUMP: function positive: bind@{{.*}} instantiate@[[@LINE-2]]:36("float" [[@LINE-2]]:57-[[@LINE-2]]:62, "unsigned int" [[@LINE-2]]:66-[[@LINE-2]]:78)

#ifndef POSITIVE
template <class T> [[kernix::bind, kernix::instantiate]] void negativeNone(T);
// CHECK-DAG: :[[@LINE-1]]:36: error: 'kernix::instantiate' takes at least 1 argument, 0 given
template <class T> [[kernix::bind, kernix::instantiate("float", int_)]] void negativeUnknownType(T);
// CHECK-DAG: :[[@LINE-1]]:65: error: use of undeclared identifier 'int_'
template <class T> [[kernix::bind, kernix::instantiate(float_)]] void negativeWord(T);
// CHECK-DAG: :[[@LINE-1]]:56: error: argument 1 of 'kernix::instantiate' must be a string in double quotes
template <class T> [[kernix::bind, kernix::instantiate("float", " ")]] void negativeBlank(T);
// CHECK-DAG: :[[@LINE-1]]:65: error: 'kernix::instantiate' needs the name of a type
template <class T> [[kernix::bind, kernix::instantiate("float", "int", " float")]] void negativeTwice(T);
// CHECK-DAG: :[[@LINE-1]]:72: error: 'kernix::instantiate' names ' float' twice
// CHECK-DAG: :[[@LINE-2]]:56: note: first named here
template <class T> [[kernix::instantiate("float")]] void negativeNotBound(T);
// CHECK-DAG: :[[@LINE-1]]:22: warning: 'kernix::instantiate' has no effect: 'negativeNotBound' is not bound [-Wkernix-no-effect]
[[kernix::bind, kernix::instantiate("float")]] void negativePlain(float);
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::instantiate' on 'negativePlain', which is no function template
template <class T, class U> [[kernix::bind, kernix::instantiate("float")]] void negativeTwo(T, U);
// CHECK-DAG: :[[@LINE-1]]:65: error: 'float' names 1 template argument, and 'negativeTwo' takes 2
// CHECK-DAG: :[[@LINE-2]]:1: note: its template parameters are here
template <class T, class U, int N = 1> [[kernix::bind, kernix::instantiate("float, int", "float")]] void negativeFew(T, U);
// CHECK-DAG: :[[@LINE-1]]:90: error: 'float' names 1 template argument, and 'negativeFew' takes at least 2
// CHECK-DAG: :[[@LINE-2]]:1: note: its template parameters are here
template <class T> [[kernix::bind, kernix::instantiate("float, int")]] void negativeMany(T);
// CHECK-DAG: :[[@LINE-1]]:56: error: 'float, int' names 2 template arguments, and 'negativeMany' takes 1
// CHECK-DAG: :[[@LINE-2]]:1: note: its template parameters are here
template <class T> [[kernix::bind, kernix::instantiate("float,")]] void negativeComma(T);
// CHECK-DAG: :[[@LINE-1]]:56: error: 'kernix::instantiate' needs the name of a type
template <template <class> class T> [[kernix::bind, kernix::instantiate("float")]] void negativeTemplate(T<int>);
// CHECK-DAG: :[[@LINE-1]]:53: error: 'kernix::instantiate' needs a template whose parameters are types and integers; bind instantiations of 'negativeTemplate' by variables instead
// CHECK-DAG: :[[@LINE-2]]:1: note: its template parameters are here
template <class... T> [[kernix::bind, kernix::instantiate("float")]] void negativePack(T...);
// CHECK-DAG: :[[@LINE-1]]:39: error: 'kernix::instantiate' needs a template whose parameters are types and integers; bind instantiations of 'negativePack' by variables instead
// CHECK-DAG: :[[@LINE-2]]:1: note: its template parameters are here
template <class T> struct [[kernix::instantiate("float")]] NegativeClass {};
// CHECK-DAG: :[[@LINE-1]]:29: error: 'kernix::instantiate' cannot be applied to a struct; it applies to functions
#endif
// CHECK: 1 warning and 13 errors generated
