// How attributes are found: misspelt names, misplaced ones, other scopes, the names without scope.
// RUN: not %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %cuda-host -fsyntax-only -DPOSITIVE -Werror %s

#ifdef POSITIVE
#if !__has_cpp_attribute(kernix::bind) || !__has_cpp_attribute(kernix::max_iters)
#error the plugin's attributes are not known
#endif
#if __has_attribute(bind) || __has_attribute(store) || __has_declspec_attribute(value)
#error the plugin answers for spellings that it does not have
#endif
namespace kernix {
int store(int bind) { return bind; }
} // namespace kernix
int differentiable[2], no_diff = kernix::store(differentiable[differentiable[0]]);
#endif

#ifndef POSITIVE
[[kernix::bnid]] void negativeNear();
// CHECK-DAG: :[[@LINE-1]]:3: error: unknown attribute 'kernix::bnid'; did you mean 'kernix::bind'?
[[kernix::shapes("x")]] void negativeNearWithArgument();
// CHECK-DAG: :[[@LINE-1]]:3: error: unknown attribute 'kernix::shapes'; did you mean 'kernix::shape'?
[[kernix::quite_different]] void negativeFar();
// CHECK-DAG: :[[@LINE-1]]:3: error: unknown attribute 'kernix::quite_different'
[[using kernix: bind, opaque("x"), shpae("x")]] void negativeUsing();
// CHECK-DAG: :[[@LINE-1]]:23: error: unknown attribute 'kernix::opaque'
// CHECK-DAG: :[[@LINE-2]]:36: error: unknown attribute 'kernix::shpae'; did you mean 'kernix::shape'?
[[kernix::bind::deep]] void negativeThreeParts();
// CHECK-DAG: :[[@LINE-1]]:15: error: expected ','
[[Kernix::bind]] void negativeOtherScope();
// CHECK-DAG: :[[@LINE-1]]:3: warning: unknown attribute 'Kernix::bind' ignored [-Wunknown-attributes]
[[bind]] void negativeBare();
// CHECK-DAG: :[[@LINE-1]]:3: warning: unknown attribute 'bind' ignored [-Wunknown-attributes]
[[store(1)]] void negativeBareWithArgument();
// CHECK-DAG: :[[@LINE-1]]:3: warning: unknown attribute 'store' ignored [-Wunknown-attributes]
[[gnu::value(1)]] void negativeGnu();
// CHECK-DAG: :[[@LINE-1]]:3: warning: unknown attribute 'gnu::value' ignored [-Wunknown-attributes]
[[other::shape("x"), other::bind]] void negativeOther();
// CHECK-DAG: :[[@LINE-1]]:3: warning: unknown attribute 'other::shape' ignored [-Wunknown-attributes]
// CHECK-DAG: :[[@LINE-2]]:22: warning: unknown attribute 'other::bind' ignored [-Wunknown-attributes]
void negativeAttribute() __attribute__((value("x")));
// CHECK-DAG: :[[@LINE-1]]:41: warning: unknown attribute 'value' ignored [-Wunknown-attributes]
void negativeStatement() {
  [[kernix::max_iter(3)]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:5: error: unknown attribute 'kernix::max_iter'; did you mean 'kernix::max_iters'?
  }
  [[store]] for (;;) {
// CHECK-DAG: :[[@LINE-1]]:5: warning: unknown attribute 'store' ignored [-Wunknown-attributes]
  }
}
struct S {
  int [[kernix::no_diff]] negativeTypePosition;
// CHECK-DAG: :[[@LINE-1]]:9: error: 'kernix::no_diff' attribute cannot be applied to types
  void negativeAfterParameters() [[kernix::bind]];
// CHECK-DAG: :[[@LINE-1]]:36: error: 'kernix::bind' attribute cannot be applied to types
  friend class [[kernix::bind]] T;
// CHECK-DAG: :[[@LINE-1]]:18: error: an attribute list cannot appear here
// CHECK-DAG: :[[@LINE-2]]:33: note: forward declaration of 'T'
  friend void [[kernix::bind]] negativeFriendType();
// CHECK-DAG: :[[@LINE-1]]:17: error: 'kernix::bind' attribute cannot be applied to types
};
template <class T> void negativeTemplate(T);
// CHECK-DAG: :[[@LINE-1]]:25: note: explicit instantiation refers here
template [[kernix::bind]] void negativeTemplate<int>(int);
// CHECK-DAG: :[[@LINE-1]]:10: error: an attribute list cannot appear here
// CHECK-DAG: :[[@LINE-2]]:32: error: explicit instantiation of undefined function template 'negativeTemplate'
extern template [[kernix::bind]] void negativeTemplate<long>(long);
// CHECK-DAG: :[[@LINE-1]]:17: error: an attribute list cannot appear here
using namespace [[kernix::bind]] kernix_unknown;
// CHECK-DAG: :[[@LINE-1]]:17: error: expected namespace name
[[kernix::bind]] using Alias = int;
// CHECK-DAG: :[[@LINE-1]]:1: error: an attribute list cannot appear here
[[kernix::bind]] static_assert(true);
// CHECK-DAG: :[[@LINE-1]]:1: error: an attribute list cannot appear here
[[kernix::bind]] extern "C" {
// CHECK-DAG: :[[@LINE-1]]:1: error: an attribute list cannot appear here
}
[[kernix::bind]] namespace negative_namespace {}
// CHECK-DAG: :[[@LINE-1]]:1: error: an attribute list cannot appear here
template <[[kernix::bind]] class T> void negativeTemplateParameter();
// CHECK-DAG: :[[@LINE-1]]:13: error: 'kernix::bind' attribute cannot be applied to types
// CHECK-DAG: :[[@LINE-2]]:35: error: non-type template parameter has incomplete type 'class T'
auto negativeNew = new int [[kernix::no_diff]][3];
// CHECK-DAG: :[[@LINE-1]]:30: error: 'kernix::no_diff' attribute cannot be applied to types
#endif
// CHECK: 8 warnings and 22 errors generated
