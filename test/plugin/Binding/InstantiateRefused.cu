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
// CHECK: :[[#@LINE+2]]:70: error: no type called 'flaot' is visible here
// CHECK: :[[#@LINE+1]]:82: note: looked up from where 'second' is declared; give other types a name with 'using'
template <class T, class U> [[kernix::bind, kernix::instantiate("int,flaot")]] T second(U  x) { return x; }
// CHECK: :[[#@LINE+2]]:69: error: 'float' is no integer
// CHECK: :[[#@LINE+1]]:24: note: the template parameter is here
template <class T, int N> [[kernix::bind, kernix::instantiate("int, float")]] T noInteger(T x) { return x * N; }
// CHECK: :[[#@LINE+1]]:71: error: no type called '4' is visible here
template <class T, class U> [[kernix::bind, kernix::instantiate("int, 4")]] T noType(U x) { return x; }
// CHECK: :[[#@LINE+2]]:83: error: 'int, 2' is the same instantiation as 'int'
// CHECK: :[[#@LINE+1]]:76: note: named here
template <class T, int N = 2> [[kernix::bind, kernix::instantiate("float", "int", "int, 2")]] T again(T x) { return x; }
// CHECK: :[[#@LINE+1]]:62: error: 'tooLarge' cannot be instantiated for '1000'
template <signed char N> [[kernix::bind, kernix::instantiate("1000")]] int tooLarge(int x) { return x + N; }
