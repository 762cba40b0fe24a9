// Profiles and coverage: the attributes are still found, and nothing of clang's counters takes part in launches.
// RUN: %cpu-device -O2 -fprofile-instr-generate -fcoverage-mapping -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -O2 -fprofile-instr-generate -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

// CHECK-NOT: @__kernix_cpu_variable{{.*}}__prof
// CHECK: @__kernix_cpu_kernel.{{.*}}square_bwd
// CHECK-NOT: @__kernix_cpu_variable{{.*}}__prof
[[kernix::bind, kernix::differentiable]]
__global__ void square(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}
