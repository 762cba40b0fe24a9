// What is differentiated again does not ask whether a number is 0: the derivative of the number need not be.
// REQUIRES: cuda
// RUN: %toolkit-device -O3 -S -emit-llvm %s -o - | FileCheck %s
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

// Read ahead of the branch that asks for it: the first derivative asks, the second ones do not.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void seldom(const double *x, const double *w, const int *at, double *y, int n) {
  if (I >= n)
    return;
  double v = x[at[I]];
  if (w[I] > -1)
    y[I] = v * w[I];
}
// CHECK-LABEL: define {{.*}}@_Z10seldom_bwdPK
// CHECK: fcmp {{une|oeq|ueq}} double {{.*}}, 0.000000e+00
// CHECK: atomicrmw fadd
// CHECK: ret void
// CHECK-LABEL: define {{.*}}@_Z14seldom_bwd_bwdPK
// CHECK-NOT: fcmp {{une|oeq|ueq}}
// CHECK: atomicrmw fadd
// CHECK-NOT: fcmp {{une|oeq|ueq}}
// CHECK: ret void

// Added behind both branches: a flag tells whether it has been read.
struct Line {
  double slope, height;
};
__device__ inline double at(const double &x, const Line &line) {
  return x > -1 ? line.slope * x + line.height : line.slope * line.height;
}
[[kernix::bind, kernix::differentiable(2)]]
__global__ void behind(const Line *z, const double *w, const int *from, double *y, int n) {
  if (I < n)
    y[I] = at(w[I], z[from[I]]);
}
// CHECK-LABEL: define {{.*}}@_Z10behind_bwdPK
// CHECK: fcmp {{une|oeq|ueq}} double {{.*}}, 0.000000e+00
// CHECK: atomicrmw fadd
// CHECK: ret void
// CHECK-LABEL: define {{.*}}@_Z14behind_bwd_bwdPK
// CHECK-NOT: fcmp {{une|oeq|ueq}}
// CHECK: atomicrmw fadd
// CHECK-NOT: fcmp {{une|oeq|ueq}}
// CHECK: ret void
