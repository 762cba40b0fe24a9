// Functions that cannot be bound as they are.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error:
// REQUIRES: cpu
#include <kernix/kernix.h>

// CHECK: :[[#@LINE+1]]:3: error: 'notDefined' is bound but not defined in this file
[[kernix::bind]] __global__ void notDefined(float *y);
// CHECK: :[[#@LINE+1]]:25: error: the arg_spec has 1 token, and 'explicitSpec' has 2 parameters: one token for each
[[kernix::bind("name", "arg")]] void explicitSpec(const kernix::Tensor x, kernix::Tensor y) {}

template <class T> struct Template {
// CHECK: :[[#@LINE+1]]:5: error: 'member' is a member of a class template; it is bound through a variable: {{\[\[}}kernix::bind]] constexpr auto name = &Class<Arguments>::member;
  [[kernix::bind]] static T member(T x) { return x; }
};

void disagree(const kernix::Tensor x, kernix::Tensor y);
// CHECK: :[[#@LINE+2]]:47: error: 'x' is not const here and const in another declaration of 'disagree': it cannot be both input and output
// CHECK: :[[#@LINE-2]]:36: note: the other declaration
[[kernix::bind]] void disagree(kernix::Tensor x, kernix::Tensor y) {
  x.data_ptr<float>()[0] = y.data_ptr<float>()[0] = 1;
}
[[kernix::bind]] void agree(const int n, float x) {}
void agree(int n, const float x);

[[kernix::bind("twice")]] int twice(int x) { return x; }
// CHECK: :[[#@LINE+1]]:3: error: 'twice' is bound twice as 'twice'
[[kernix::bind("twice")]] constexpr auto twicePointer = &twice;

struct Number {
  int value;
};
// CHECK: :[[#@LINE+1]]:3: error: 'operator+' is an operator and needs a public name: {{\[\[}}kernix::bind("name")]]
[[kernix::bind]] int operator+(Number a, Number b) { return a.value + b.value; }
[[kernix::bind("minus")]] int operator-(Number a, Number b) { return a.value - b.value; }
// CHECK: :[[#@LINE+1]]:3: error: 'operator""_twice' is an operator and needs a public name
[[kernix::bind]] double operator""_twice(unsigned long long x) { return 2 * static_cast<double>(x); }

template <class T> struct OfTemplate {
  // CHECK: :[[#@LINE+1]]:24: error: 'member' is a member of a class template; it is bound through a variable: {{\[\[}}kernix::bind]] constexpr auto name = &Class<Arguments>::member;
  template <class U> [[kernix::bind]] static int member(T x, U y) { return x; }
};
template int OfTemplate<int>::member<float>(int, float);
