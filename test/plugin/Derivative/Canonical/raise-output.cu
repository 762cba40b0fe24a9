// A derivative prints nothing and asserts nothing again.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise' -S | FileCheck %s
// RUN: %cpu-device -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin \
// RUN:   -passes='kernix-raise' -S | FileCheck %s

#include <cassert>
#include <cstdio>

#define F extern "C" __device__

// CHECK-LABEL: define {{.*}}@positive(
// CHECK-NOT: call {{.*}}printf(
// CHECK-NOT: call {{.*}}assert
// CHECK: ret float
F float positive(float x) {
  assert(x > 0.0f);
  printf("%f\n", x);
  return x;
}

// The number of characters is needed.
// CHECK-LABEL: define {{.*}}@negative(
// CHECK: call {{.*}}printf
F int negative(float x) { return printf("%f\n", x); }
