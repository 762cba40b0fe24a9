// The attribute of a template holds for its instantiations; a specialization is bound by an attribute of its own or by
// a variable, and one that nothing binds is a warning.
// RUN: %cpu-host -fsyntax-only -fplugin-arg-kernix-dump=json %s 2>%t | %python %S/Inputs/record.py | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARN --implicit-check-not=warning: --implicit-check-not=error: < %t
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: host own = own<float>(float x)
// CHECK: host own = own<int>(int x)
template <class T> [[kernix::bind, kernix::instantiate("float")]] T own(T x) { return x; }
template <> [[kernix::bind]] int own(int x) { return x + 1; }

// CHECK: host variable = variable<float>(float x)
// CHECK: host variable = variable<int>(int x)
template <class T> [[kernix::bind, kernix::instantiate("float")]] T variable(T x) { return x; }
template <> int variable(int x) { return x + 1; }
[[kernix::bind("variable")]] constexpr auto variableInt = &variable<int>;

// CHECK: host none = none<double>(double x)
// WARN: :[[#@LINE+4]]:17: warning: 'none<int>' is not bound: the attribute of its template does not hold for a specialization, which says itself that it is bound: template <> {{.*}} [-Wkernix-no-effect]
// WARN: :[[#@LINE+1]]:22: note: the template is bound here
template <class T> [[kernix::bind]] T none(T x) { return x; }
template double none(double);
template <> int none(int x) { return x + 1; }

struct Class {
  // WARN: :[[#@LINE+2]]:19: warning: 'member<int>' is not bound: {{.*}}
  template <class T> [[kernix::bind, kernix::instantiate("float")]] static T member(T x) { return x; }
  template <> int member(int x) { return x + 1; }
};
// CHECK: host Class::member = Class::member<float>(float x)
