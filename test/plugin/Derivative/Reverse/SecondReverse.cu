// Second derivatives in forward order: what they add to may be floats in place of 16-bit numbers. The first derivative
// is written as if there were no second.
// REQUIRES: cuda
// RUN: %toolkit-device -O2 -S -emit-llvm -Rpass=kernix %s -o %t.ll 2> %t.err
// RUN: FileCheck %s --input-file=%t.ll
// RUN: FileCheck %s --check-prefix=FACTS --input-file=%t.ll
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.err
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

// f_bwd adds to x, its bit 2, plainly, and may add to w, bit 0, in float; f_bwd_bwd to w and x, its bits 0 and 3.
// FACTS-DAG: %struct.kernix_launch_facts { {{.*}}, i32 24, i32 4, i32 1, {{.*}} }
// FACTS-DAG: %struct.kernix_launch_facts { {{.*}}, i32 178, i32 0, i32 9, {{.*}} }
// CHECK-LABEL: define {{.*}}@_Z12gathered_bwdPK
// CHECK-DAG: atomicrmw fadd {{.*}}, float
// CHECK-DAG: atomicrmw fadd {{.*}}, half
// CHECK: ret void
// CHECK-LABEL: define {{.*}}@_Z16gathered_bwd_bwdPK
// CHECK-DAG: atomicrmw fadd {{.*}}, float
// CHECK-DAG: atomicrmw fadd {{.*}}, half
// CHECK: ret void
[[kernix::bind, kernix::differentiable(2)]]
__global__ void gathered(const _Float16 *w, const int *at, const _Float16 *x, _Float16 *y, int n) {
  // SAID-NOT: the derivative is differentiated itself
  // SAID: SecondReverse.cu:[[#@LINE+2]]:{{[0-9]+}}: remark: derivative of 'gathered': gradient of 'x': added without atomic operations
  if (I < n)
    y[I] = w[at[I]] * w[at[I]] * x[I];
}
