// Pointers that lead to one of several places: each access becomes a choice between places, and what only such
// pointers reach stays in registers.
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %cpu-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
#include <algorithm>
#include <kernix/kernix.h>
#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__

#ifndef REFUSED
BACKWARD void larger(const float *x, const float *w, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = std::max(x[i], w[i]) * x[i];
}
// CHECK-LABEL: define {{.*}}@_Z10larger_bwd
// CHECK-NOT: alloca
// CHECK: atomicrmw fadd
// CHECK: ret void

struct Triple {
  float x, y, z;
  __device__ float &operator[](int k) { return k == 0 ? x : k == 1 ? y : z; }
};
BACKWARD void members(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Triple v{x[i], 1, 2};
  v[i % 3] *= 2;
  y[i] = v.x * v.y * v.z;
}
// CHECK-LABEL: define {{.*}}@_Z11members_bwd
// CHECK-NOT: alloca
// CHECK: ret void

BACKWARD void through_null(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i], *p = nullptr;
  if (i % 3)
    p = &v;
  if (p)
    *p *= v;
  y[i] = v;
}
// CHECK-LABEL: define {{.*}}@_Z16through_null_bwd
// CHECK-NOT: alloca
// CHECK: ret void

BACKWARD void rows(const float *x, const float *w, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *planes[3] = {x, w, x + n};
  y[i] = planes[i % 3][i] * planes[(i + 1) % 3][i];
}
// CHECK-LABEL: define {{.*}}@_Z8rows_bwd
// CHECK: atomicrmw fadd
// CHECK: ret void

// Of two tensors one of which is read, the one that is chosen.
BACKWARD void either(const float *x, const float *w, float *y, int which) {
  int i = threadIdx.x;
  y[i] = (which ? x : w)[i] * 3;
}
// CHECK-LABEL: define {{.*}}@_Z10either_bwd
// CHECK: atomicrmw fadd
// CHECK: ret void

// The integers of a struct have nothing to do with the numbers beside them.
struct Counted {
  float sum;
  int count;
  float last[2];
};
BACKWARD void mixed(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Counted all[2] = {{x[i], 0, {}}, {1, 1, {}}};
  Counted &one = all[i % 2];
  one.last[one.count % 2] = one.sum * x[i];
  one.count += i;
  y[i] = all[0].last[0] + all[1].last[all[1].count % 2] * all[0].sum;
}
// CHECK-LABEL: define {{.*}}@_Z9mixed_bwd
// CHECK: atomicrmw fadd
// CHECK: ret void

#else
BACKWARD void table(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  struct Row {
    float *at;
    int size;
  };
  float a[2] = {x[i], 1}, b[2] = {2, x[i]};
  Row rows[2] = {{a, 2}, {b, 1}};
  // REFUSED: PointerChoices.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'table': it is not known where this pointer leads
  y[i] = rows[i % 2].at[0] + rows[i % 2].size;
}

// Bytes of a struct that are numbers in one place and an integer in another.
struct Either {
  int tag;
  float value[2];
};
BACKWARD void bits(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Either e{0, {x[i], 1}};
  e.value[i % 2] *= 2;
  // REFUSED: PointerChoices.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'bits': the {{.*}} as
  y[i] = float(reinterpret_cast<int *>(e.value)[i % 2] & 7) + e.value[0];
}
#endif
