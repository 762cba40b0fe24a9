// On the CPU target shims are host code: they call the thunk in the device object through the runtime, and give its status.
// RUN: %cpu-host -D__KERNIX_NUMBA__=1 -fplugin-arg-kernix-numba-shims -S -emit-llvm -O1 -o %t.ll %s
// RUN: FileCheck %s --input-file=%t.ll
// RUN: %cpu-host -S -emit-llvm -o - %s | FileCheck %s --check-prefix=WITHOUT
// REQUIRES: cpu
#include <kernix/kernix.h>

struct Pair {
  char key;
  double value;
};

// WITHOUT-NOT: kernix_numba_
// CHECK: define {{.*}}i32 @kernix_numba_{{[0-9a-f]+}}(ptr {{.*}}%0, i8 {{.*}}signext {{.*}}%1, double {{.*}}%2, i16 {{.*}}signext {{.*}}%3)
// CHECK: %[[STATUS:.*]] = call {{.*}}i32 @kernix_call_thunk(ptr {{.*}}@kernix_export_{{[0-9a-f]+}}, ptr
// CHECK: icmp eq i32 %[[STATUS]], 0
// CHECK: ret i32
[[kernix::bind]] __device__ Pair object(Pair p, short k) { return {static_cast<char>(p.key + k), p.value}; }

// Those of other kinds have none.
// CHECK-NOT: define {{.*}}@kernix_numba_
[[kernix::bind]] __global__ void kernel(float *x) { x[0] = 1; }
