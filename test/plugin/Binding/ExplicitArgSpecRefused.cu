// Places of what is wrong in an arg_spec; the wording is tested with test/python/test_arg_spec.py.
// RUN: not %cpu-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>
using kernix::Tensor;

// CHECK: :[[#@LINE+2]]:29: error: Invalid arg_spec token 'rett'; did you mean 'ret'?
// The string is not one token of the source.
[[kernix::bind("a", "arg " "rett")]] void a(const Tensor x, Tensor y);
// CHECK: :[[#@LINE+2]]:26: error: the arg_spec has 1 token, and 'b' has 2 parameters: one token for each
// CHECK: :[[#@LINE+1]]:39: note: the signature means 'arg ret'
  [[kernix::bind("b",   "arg")]] void b(const Tensor x, Tensor y);
// CHECK: :[[#@LINE+1]]:21: error: the arg_spec of 'c' is empty, and it has 1 parameter
[[kernix::bind("c", "")]] void c(Tensor y);
// CHECK: :[[#@LINE+4]]:22: error: 'ret' does not fit the parameter at its place, 'n' of type 'int', which is an attribute: 'attr.n'
// CHECK: :[[#@LINE+3]]:57: note: 'n' of type 'int' is declared here
// CHECK: :[[#@LINE+2]]:51: note: the signature means 'attr.n:int32 ret'
// CHECK: :[[#@LINE+1]]:26: error: 'attr.n' does not fit the parameter at its place, 'y' of type 'kernix::Tensor', which is a tensor: 'arg' or 'ret'
[[kernix::bind("d", "ret attr.n")]]          void d(int n, Tensor y);
// CHECK: :[[#@LINE+2]]:33: error: the attribute 'n' is there twice
// CHECK: :[[#@LINE+1]]:26: note: the first is here
[[kernix::bind("e", "ret attr.n attr.n")]] void e(Tensor y, int n, int m);
// CHECK: :[[#@LINE+1]]:33: error: Invalid arg_spec token 'attr.a:floot': 'floot' is not a type of an attribute; did you mean 'float16'?
[[kernix::bind("f", "ret attr.a:floot")]] void f(Tensor y, float a);
