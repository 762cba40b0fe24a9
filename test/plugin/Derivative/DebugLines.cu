// With -g the code of derivatives is of the lines of the primal, as if that had been inlined; at every level the module
// is one that the verifier accepts.
// RUN: %cpu-device -O0 -g -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O2 -gline-tables-only -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cuda-device -O1 -g -S -emit-llvm %s -o - | FileCheck %s --check-prefix=CUDA
// RUN: %cpu-device -O0 -g -c %s -o %t.o && llvm-dwarfdump --verify %t.o
// RUN: %cpu-device -O1 -g -c %s -o %t.o && llvm-dwarfdump --verify %t.o
// RUN: %cpu-device -O3 -g -c %s -o %t.o && llvm-dwarfdump --verify %t.o
// RUN: %cpu-device -O3 -S %s -o - | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{\.loc[[:space:]]}}
#include <kernix/kernix.h>

__device__ float power(float v, int n) {
  float s = 1;
  for (int k = 0; k < n; ++k)
    s = s * v + 1;
  return s * s;
}
[[kernix::bind, kernix::differentiable]] __global__ void lines(const float *x, float *y, int n) {
  if (x[0] > 0)
    y[threadIdx.x] = power(x[threadIdx.x], n);
}
// CHECK-LABEL: define {{.*}}@_Z9lines_fwd{{.*}} !dbg
// CHECK: fmul {{.*}}!dbg [[FORWARD:![0-9]+]]
// CHECK-LABEL: define {{.*}}@_Z9lines_bwd{{.*}} !dbg
// CHECK: fcmp {{.*}}!dbg [[CONDITION:![0-9]+]]
// CHECK: fmul {{.*}}!dbg [[BACKWARD:![0-9]+]]
// CHECK-DAG: [[FORWARD]] = !DILocation(line: [[#]], column: [[#]], scope: {{.*}}, inlinedAt:
// CHECK-DAG: [[CONDITION]] = !DILocation(line: 20, column: 12, scope: {{.*}}, inlinedAt:
// CHECK-DAG: [[BACKWARD]] = !DILocation(line: {{16|17}}, column: [[#]], scope: {{.*}}, inlinedAt:
// CUDA-LABEL: define {{.*}}@_Z9lines_bwd{{.*}} !dbg
// CUDA: fcmp {{.*}}!dbg [[CONDITION:![0-9]+]]
// CUDA-DAG: [[CONDITION]] = !DILocation(line: 20, column: 12, scope: {{.*}}, inlinedAt:
