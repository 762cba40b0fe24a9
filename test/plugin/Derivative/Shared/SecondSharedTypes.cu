// Where shared memory holds numbers of several types, the first derivative clears their gradients as numbers, so that the
// second derivative clears what it adds to: the forward derivative the tangents of the gradients.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cpu-device -c %s -o /dev/null
#include <kernix/kernix.h>

struct Mixed {
  double wide;
  float narrow;
  int n;
};

// CHECK: define {{.*}}in_structs_bwd_fwdPK
// CHECK: store float 0.000000e+00, ptr addrspace(3) %[[#]], align 4, {{.*}}!kernix.clears
// CHECK-NEXT: getelementptr {{.*}}addrspace(3) @kernix_shadow.kernix_shadow.
// CHECK-NEXT: store float 0.000000e+00, ptr addrspace(3) %[[#]], align 4
[[kernix::bind, kernix::differentiable(2)]] __global__ void in_structs(const double *x, double *y) {
  __shared__ Mixed s[32];
  int t = threadIdx.x;
  s[t] = {x[t], static_cast<float>(x[t]), t};
  __syncthreads();
  Mixed b = s[31 - t];
  y[t] = b.wide * b.wide * b.narrow * b.n;
}

// CHECK: define {{.*}}in_bytes_bwd_fwdPK
// CHECK: store float 0.000000e+00, ptr addrspace(3) %[[#]], align 4, {{.*}}!kernix.clears
// CHECK-NEXT: getelementptr {{.*}}addrspace(3) @kernix_shadow.kernix_shadow.
// CHECK-NEXT: store float 0.000000e+00, ptr addrspace(3) %[[#]], align 4
[[kernix::bind, kernix::differentiable(2)]] __global__ void in_bytes(const double *x, double *y) {
  __shared__ __align__(16) char raw[384];
  double *wide = reinterpret_cast<double *>(raw);
  float *narrow = reinterpret_cast<float *>(wide + 32);
  int t = threadIdx.x;
  wide[t] = narrow[t] = x[t];
  __syncthreads();
  y[t] = wide[31 - t] * wide[31 - t] * narrow[31 - t];
}
