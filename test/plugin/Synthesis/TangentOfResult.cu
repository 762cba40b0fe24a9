// The integers in the tangent of a struct are zero, whatever its default constructor does: no derivative writes them.
//
// RUN: %cuda-device -Wall -Wextra -Werror -O2 -S -emit-llvm -o - %s | FileCheck %s
#include <kernix/kernix.h>

#define BOUND [[kernix::bind, kernix::differentiable]] __device__

struct Trivial {
  float a;
  int b;
};
BOUND Trivial trivial(double x, int n) { return {float(x * x), n}; }
// CHECK-LABEL: define {{.*}}trivial_fwd
// CHECK: insertvalue {{.*}}, i32 0, 1, 1
// CHECK-NEXT: ret

struct Defaults {
  float a = 1;
  int b = 7;
};
BOUND Defaults defaults(double x, int n) { return {float(x * x), n}; }
// CHECK-LABEL: define {{.*}}defaults_fwd
// CHECK: insertvalue {{.*}}, i32 0, 1, 1
// CHECK-NEXT: ret

struct Constructed {
  float a;
  int b;
  __device__ Constructed() : a(1), b(7) {}
};
BOUND Constructed constructed(double x, int n) {
  Constructed r;
  r.a = float(x * x);
  r.b = n;
  return r;
}
// CHECK-LABEL: define {{.*}}constructed_fwd
// CHECK: insertvalue {{.*}}, i32 0, 1, 1
// CHECK-NEXT: ret
