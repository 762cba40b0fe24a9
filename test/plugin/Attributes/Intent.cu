// [[kernix::intent]]
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
constexpr int Rows = 3;
[[kernix::bind]] void positive([[kernix::intent(in)]] int a, [[kernix::intent(inout_ptr)]] float &b,
                               [[kernix::intent(out_ptr)]] float &c, [[kernix::intent(out_return)]] float &d,
                               [[kernix::intent(out_array_return, Rows * 4)]] float *e,
                               [[kernix::intent(out_array_return, 3, "float4")]] float *f);
#endif
// DUMP: parameter 0 a: intent@[[@LINE-5]]:34(in)
// DUMP: parameter 1 b: intent@{{.*}}(inout_ptr)
// DUMP: parameter 2 c: intent@{{.*}}(out_ptr)
// DUMP: parameter 3 d: intent@{{.*}}(out_return)
// DUMP: parameter 4 e: intent@{{.*}}(out_array_return, 12)
// DUMP: parameter 5 f: intent@[[@LINE-7]]:34(out_array_return, 3, "float4" [[@LINE-7]]:71-[[@LINE-7]]:77)

#ifndef POSITIVE
[[kernix::bind]] void negativeNone([[kernix::intent]] float &x);
// CHECK-DAG: :[[@LINE-1]]:38: error: 'kernix::intent' takes at least 1 argument, 0 given
[[kernix::bind]] void negativeMisspelt([[kernix::intent(out_retrun)]] float &x);
// CHECK-DAG: :[[@LINE-1]]:57: error: unknown word 'out_retrun' in 'kernix::intent'; did you mean 'out_return'?
[[kernix::bind]] void negativeUnknown([[kernix::intent(elsewhere)]] float &x);
// CHECK-DAG: :[[@LINE-1]]:56: error: unknown word 'elsewhere' in 'kernix::intent'; expected 'in', 'inout_ptr', 'out_ptr', 'out_return' or 'out_array_return'
[[kernix::bind]] void negativeQuoted([[kernix::intent("inout_ptr")]] float &x);
// CHECK-DAG: :[[@LINE-1]]:55: error: expected 'in', 'inout_ptr', 'out_ptr', 'out_return' or 'out_array_return' as argument 1 of 'kernix::intent'
// CHECK-DAG: :[[@LINE-2]]:55: note: write the word without quotes
[[kernix::bind]] void negativeNumber([[kernix::intent(3)]] float &x);
// CHECK-DAG: :[[@LINE-1]]:55: error: expected 'in', 'inout_ptr', 'out_ptr', 'out_return' or 'out_array_return' as argument 1 of 'kernix::intent'
[[kernix::bind]] void negativeLengthOfIn([[kernix::intent(in, 3)]] float &x);
// CHECK-DAG: :[[@LINE-1]]:63: error: 'kernix::intent(in)' takes no length or type
[[kernix::bind]] void negativeZeroLength([[kernix::intent(out_array_return, 0)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:77: error: 'kernix::intent' needs an integer of at least 1, not 0
[[kernix::bind]] void negativeMinus([[kernix::intent(out_array_return, -2)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:72: error: 'kernix::intent' needs an integer of at least 1, not -2
[[kernix::bind]] void negativeStringLength([[kernix::intent(out_array_return, "3")]] float *x);
// CHECK-DAG: :[[@LINE-1]]:79: error: argument 2 of 'kernix::intent' must be an integer constant, not a string
[[kernix::bind]] void negativeRealLength([[kernix::intent(out_array_return, 2.5)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:77: error: integral constant expression must have integral or unscoped enumeration type, not 'double'
[[kernix::bind]] void negativeTypeNumber([[kernix::intent(out_array_return, 3, 4)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:80: error: argument 3 of 'kernix::intent' must be a string in double quotes
[[kernix::bind]] void negativeFour([[kernix::intent(out_array_return, 3, "float", 1)]] float *x);
// CHECK-DAG: :[[@LINE-1]]:83: error: 'kernix::intent' takes at most 3 arguments, 4 given
[[kernix::bind]] void negativeTwice([[kernix::intent(in), kernix::intent(out_ptr)]] float &x);
// CHECK-DAG: :[[@LINE-1]]:59: error: 'kernix::intent' is given twice
// CHECK-DAG: :[[@LINE-2]]:39: note: first given here
[[kernix::bind]] void negativeRedeclared([[kernix::intent(in)]] float &x);
// CHECK-DAG: :[[@LINE-1]]:44: note: earlier given here
[[kernix::bind]] void negativeRedeclared([[kernix::intent(out_ptr)]] float &x);
// CHECK-DAG: :[[@LINE-1]]:44: error: 'kernix::intent' differs from that of an earlier declaration
void negativeNotBound([[kernix::intent(in)]] float x);
// CHECK-DAG: :[[@LINE-1]]:25: warning: 'kernix::intent' has no effect: 'negativeNotBound' is not bound [-Wkernix-no-effect]
[[kernix::intent(in)]] void negativeFunction();
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::intent' cannot be applied to a function; it applies to parameters
void (*negativeFunctionPointer)([[kernix::intent(in)]] float x);
// CHECK-DAG: :[[@LINE-1]]:35: error: 'kernix::intent' applies to parameters of functions, and this is one of a function type
auto NegativeLambda = []([[kernix::intent(in)]] float x) {};
// CHECK-DAG: :[[@LINE-1]]:28: error: 'kernix::intent' applies to parameters of functions, and this is one of a lambda
void around() {
  [[kernix::intent(in)]] float negativeLocal;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::intent' cannot be applied to a variable inside a function; it applies to parameters
}
#endif
// CHECK: 1 warning and 18 errors generated
