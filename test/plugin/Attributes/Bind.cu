// [[kernix::bind]]: where it may stand and what it takes.
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: not %cuda-device -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -fplugin-arg-kernix-dump=attributes %s 2>&1 | FileCheck --check-prefix=DUMP %s

#ifdef POSITIVE
[[kernix::bind]] void positivePlain();
[[kernix::bind("positive_name")]] __global__ void positiveKernel(float *x);
[[kernix::bind("positive_spec", "arg ret attr.n:int32")]] void positiveSpec(const float *x, float *y, int n);
[[kernix::bind("joined"
               "_name")]] void positiveJoined();
__device__ [[kernix::bind]] float positiveAfterDevice(float x);
[[using kernix: bind("shared_scope"), differentiable]] void positiveSharedScope(float x);
extern "C" [[kernix::bind]] void positiveC();
template <class T> [[kernix::bind]] void positiveTemplate(T x);
namespace inner {
struct S {
  [[kernix::bind]] static void positiveStatic();
};
} // namespace inner
template <class T> void dot(T *x);
[[kernix::bind("dot3f")]] constexpr auto dot3f = &dot<float>;
#define BIND(name) [[kernix::bind(#name)]]
BIND(macro) void positiveMacro();
void positiveLater();
[[kernix::bind]] void positiveLater();
[[kernix::bind]] void positiveLater() {}
#endif
// DUMP: function positivePlain: bind@[[@LINE-22]]:3()
// DUMP: function positiveKernel: bind@[[@LINE-22]]:3("positive_name" [[@LINE-22]]:17-[[@LINE-22]]:30)
// DUMP: function positiveSpec: bind@[[@LINE-22]]:3("positive_spec" {{.*}}, "arg ret attr.n:int32" [[@LINE-22]]:34-[[@LINE-22]]:54)
// DUMP: function positiveJoined: bind@[[@LINE-22]]:3("joined_name" [[@LINE-22]]:17-[[@LINE-21]]:22)
// DUMP: function positiveAfterDevice: bind@
// DUMP: function positiveSharedScope: bind@[[@LINE-21]]:17({{.*}}) differentiable@[[@LINE-21]]:39(forward, backward, 1)
// DUMP: function positiveC: bind@
// DUMP: function positiveTemplate: bind@
// DUMP: function inner::S::positiveStatic: bind@
// DUMP: variable dot3f: bind@
// DUMP: function positiveMacro: bind@{{.*}}("macro"
// DUMP: function positiveLater: bind@[[@LINE-14]]:3()
// DUMP-NOT: {{.}}

#ifndef POSITIVE
[[kernix::bind("")]] void negativeEmpty();
// CHECK-DAG: :[[@LINE-1]]:16: error: the name that 'kernix::bind' gives must not be empty
[[kernix::bind("a b")]] void negativeBlank();
// CHECK-DAG: :[[@LINE-1]]:18: error: 'a b' is not a name for 'kernix::bind': letters, digits and underscores only, no digit first
[[kernix::bind("\x61" "b-c")]] void negativeByteInSecondLiteral();
// CHECK-DAG: :[[@LINE-1]]:25: error: 'ab-c' is not a name for 'kernix::bind': letters, digits and underscores only, no digit first
[[kernix::bind("1st")]] void negativeDigit();
// CHECK-DAG: :[[@LINE-1]]:17: error: '1st' is not a name for 'kernix::bind': letters, digits and underscores only, no digit first
[[kernix::bind(word)]] void negativeWord();
// CHECK-DAG: :[[@LINE-1]]:16: error: argument 1 of 'kernix::bind' must be a string in double quotes
[[kernix::bind(1)]] void negativeNumber();
// CHECK-DAG: :[[@LINE-1]]:16: error: argument 1 of 'kernix::bind' must be a string in double quotes
[[kernix::bind(u8"x")]] void negativePrefix();
// CHECK-DAG: :[[@LINE-1]]:16: error: argument 1 of 'kernix::bind' must be an ordinary string, without a prefix
[[kernix::bind("a", 2)]] void negativeSpec();
// CHECK-DAG: :[[@LINE-1]]:21: error: argument 2 of 'kernix::bind' must be a string in double quotes
[[kernix::bind("a", "b", "c")]] void negativeThree();
// CHECK-DAG: :[[@LINE-1]]:26: error: 'kernix::bind' takes at most 2 arguments, 3 given
[[kernix::bind, kernix::bind("twice")]] void negativeTwice();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::bind' is given twice
// CHECK-DAG: :[[@LINE-2]]:3: note: first given here
[[kernix::bind]] int negativeVariable;
// CHECK-DAG: :[[@LINE-1]]:3: error: cannot bind 'negativeVariable': only a constexpr function pointer binds the function it points to
[[kernix::bind]] const auto negativeNotConstexpr = &negativeTwice;
// CHECK-DAG: :[[@LINE-1]]:3: error: cannot bind 'negativeNotConstexpr': only a constexpr function pointer binds the function it points to
// CHECK-DAG: :[[@LINE-2]]:18: note: declare it constexpr
[[kernix::bind]] constexpr void (*negativeNull)() = nullptr;
// CHECK-DAG: :[[@LINE-1]]:3: error: cannot bind 'negativeNull': it points to no function
[[kernix::bind]] constexpr const int *negativeObject = nullptr;
// CHECK-DAG: :[[@LINE-1]]:3: error: cannot bind 'negativeObject': only a constexpr function pointer binds the function it points to
[[kernix::bind]] consteval int negativeConsteval() { return 1; }
// CHECK-DAG: :[[@LINE-1]]:32: note: declared here
// CHECK-DAG: :[[@LINE-2]]:32: note: declared here
// CHECK-DAG: :[[@LINE-3]]:3: error: cannot bind 'negativeConsteval': it is consteval
template <class T> [[kernix::bind]] constexpr auto negativeVariableTemplate = &negativeConsteval;
// CHECK-DAG: :[[@LINE-1]]:52: error: constexpr variable 'negativeVariableTemplate' must be initialized by a constant expression
// CHECK-DAG: :[[@LINE-2]]:52: note: pointer to a consteval declaration is not a constant expression
// CHECK-DAG: :[[@LINE-3]]:80: error: cannot take address of consteval function 'negativeConsteval' outside of an immediate invocation
// CHECK-DAG: :[[@LINE-4]]:22: error: cannot bind 'negativeVariableTemplate': a variable template names no single function
struct [[kernix::bind]] NegativeStruct {
// CHECK-DAG: :[[@LINE-1]]:10: error: 'kernix::bind' cannot be applied to a struct; it applies to functions and constexpr function pointers
  [[kernix::bind]] NegativeStruct();
// CHECK-DAG: :[[@LINE-1]]:5: error: cannot bind 'NegativeStruct': it is a constructor
  [[kernix::bind]] ~NegativeStruct();
// CHECK-DAG: :[[@LINE-1]]:5: error: cannot bind '~NegativeStruct': it is a destructor
  [[kernix::bind]] operator int();
// CHECK-DAG: :[[@LINE-1]]:5: error: cannot bind 'operator int': it is a conversion function
  [[kernix::bind]] void negativeMember();
// CHECK-DAG: :[[@LINE-1]]:5: error: cannot bind 'negativeMember': it is a member that needs an object
  [[kernix::bind]] virtual void negativeVirtual();
// CHECK-DAG: :[[@LINE-1]]:5: error: cannot bind 'negativeVirtual': it is virtual
  [[kernix::bind]] int field;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::bind' cannot be applied to a data member; it applies to functions and constexpr function pointers
};
[[kernix::bind]] void negativeDeleted() = delete;
// CHECK-DAG: :[[@LINE-1]]:3: error: cannot bind 'negativeDeleted': it is deleted
[[kernix::bind]] void negativeVariadic(int, ...);
// CHECK-DAG: :[[@LINE-1]]:3: error: cannot bind 'negativeVariadic': it takes a variable number of arguments
// CHECK-DAG: :[[@LINE-2]]:23: note: 'negativeVariadic' is declared here
[[kernix::bind]] int main() {}
// CHECK-DAG: :[[@LINE-1]]:3: error: cannot bind 'main': it is the program's entry point
void around([[kernix::bind]] int negativeParameter) {
// CHECK-DAG: :[[@LINE-1]]:15: error: 'kernix::bind' cannot be applied to a parameter; it applies to functions and constexpr function pointers
  [[kernix::bind]] int negativeLocal = 0;
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::bind' cannot be applied to a variable inside a function; it applies to functions and constexpr function pointers
  [[kernix::bind]] void negativeLocalFunction();
// CHECK-DAG: :[[@LINE-1]]:5: error: cannot bind 'negativeLocalFunction': it is declared inside a function
  [[kernix::bind]] around(negativeLocal);
// CHECK-DAG: :[[@LINE-1]]:5: error: 'kernix::bind' cannot be applied to a call statement; it applies to functions and constexpr function pointers
  struct Local {
    [[kernix::bind]] static void negativeInLocalClass() {}
// CHECK-DAG: :[[@LINE-1]]:7: error: cannot bind 'negativeInLocalClass': it is a member of a class inside a function
  };
  auto negativeLambda = [] [[kernix::bind]] () {};
// CHECK-DAG: :[[@LINE-1]]:28: warning: an attribute specifier sequence in this position is a C++23 extension [-Wc++23-lambda-attributes]
// CHECK-DAG: :[[@LINE-2]]:30: error: cannot bind 'operator()': it is a lambda's call operator
}
[[kernix::bind("one")]] void negativeDifferent();
// CHECK-DAG: :[[@LINE-1]]:3: note: earlier given here
[[kernix::bind("two")]] void negativeDifferent();
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::bind' differs from that of an earlier declaration
[[kernix::bind]] constexpr auto negativeMainPointer = &negativeVariadic;
// CHECK-DAG: :[[@LINE-1]]:3: error: cannot bind 'negativeVariadic': it takes a variable number of arguments
namespace [[kernix::bind]] negative_namespace {}
// CHECK-DAG: :[[@LINE-1]]:13: error: 'kernix::bind' cannot be applied to a namespace; it applies to functions and constexpr function pointers
enum [[kernix::bind]] NegativeEnum { NegativeEnumerator [[kernix::bind]] };
// CHECK-DAG: :[[@LINE-1]]:8: error: 'kernix::bind' cannot be applied to an enumeration; it applies to functions and constexpr function pointers
// CHECK-DAG: :[[@LINE-2]]:59: error: 'kernix::bind' cannot be applied to an enumerator; it applies to functions and constexpr function pointers
using NegativeAlias [[kernix::bind]] = int;
// CHECK-DAG: :[[@LINE-1]]:23: error: 'kernix::bind' cannot be applied to a type alias; it applies to functions and constexpr function pointers
void negativeType() [[kernix::bind]];
// CHECK-DAG: :[[@LINE-1]]:23: error: 'kernix::bind' attribute cannot be applied to types
[[kernix::bind]];
// CHECK-DAG: :[[@LINE-1]]:3: error: 'kernix::bind' cannot be applied to an empty declaration; it applies to functions and constexpr function pointers
#endif
// CHECK: 1 warning and 42 errors generated
