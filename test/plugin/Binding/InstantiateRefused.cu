// Types that [[kernix::instantiate]] cannot find or use.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

int notAType;
struct Pair {
  float a;
  int b;
};
// CHECK: :[[#@LINE+2]]:56: error: no type called 'flaot' is visible here
// CHECK: :[[#@LINE+1]]:69: note: looked up from where 'unknown' is declared; give other types a name with 'using'
template <class T> [[kernix::bind, kernix::instantiate("flaot")]] T unknown(T x) { return x; }
// CHECK: :[[#@LINE+2]]:56: error: no type called 'notAType' is visible here
// CHECK: :[[#@LINE+1]]:72: note: looked up from where 'variable' is declared; give other types a name with 'using'
template <class T> [[kernix::bind, kernix::instantiate("notAType")]] T variable(T x) { return x; }
// CHECK: :[[#@LINE+2]]:56: error: no type called 'ns::T' is visible here
// CHECK: :[[#@LINE+1]]:69: note: looked up from where 'unknownScope' is declared; give other types a name with 'using'
template <class T> [[kernix::bind, kernix::instantiate("ns::T")]] T unknownScope(T x) { return x; }
template <class T>
  requires(sizeof(T) == 8)
// CHECK: :[[#@LINE+1]]:47: error: 'constrained' cannot be instantiated for 'float'
[[kernix::bind, kernix::instantiate("double", "float")]] T constrained(T x) {
  return x;
}
// CHECK: :[[#@LINE+2]]:56: error: 'specialized' is specialized for 'int', and a specialization is bound by an attribute of its own
// CHECK: :[[#@LINE+2]]:17: note: specialized here
template <class T> [[kernix::bind, kernix::instantiate("int")]] T specialized(T x) { return x; }
template <> int specialized(int x) { return x + 1; }
// CHECK: :[[#@LINE+2]]:63: error: 'int32' is the same type as 'int'
// CHECK: :[[#@LINE+1]]:56: note: named here
template <class T> [[kernix::bind, kernix::instantiate("int", "int32")]] T same(T x) { return x; }
