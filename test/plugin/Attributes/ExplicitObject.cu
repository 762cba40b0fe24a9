// Members whose object is a parameter.
// RUN: not %cuda-host -std=c++23 -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:

struct Scale {
  float v;
  [[kernix::bind]] __device__ float negative(this const Scale &scale, float x) { return scale.v * x; }
// CHECK: :[[@LINE-1]]:5: error: cannot bind 'negative': its object is a parameter; make it static, or a member of the usual kind
  __device__ float byVariable(this const Scale &scale, float x) { return scale.v * x; }
};
[[kernix::bind("scaled")]] constexpr auto negativeVariable = &Scale::byVariable;
// CHECK: :[[@LINE-1]]:3: error: cannot bind 'byVariable': its object is a parameter
// CHECK: :[[@LINE-4]]:20: note: 'byVariable' is declared here
