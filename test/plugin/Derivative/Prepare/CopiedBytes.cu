// Integers that only carry numbers are taken apart into them: two bfloat16 or half numbers in one integer, say.
// REQUIRES: cuda
// RUN: %cpu-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %toolkit-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %toolkit-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=REFUSED --implicit-check-not=error: %s
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

struct Pair {
  __nv_bfloat16 a, b;
};
struct Four {
  __half a, b, c, d;
};

#ifndef REFUSED
// A rotation of the integer; the gradient is of bfloat16 numbers.
// CHECK: define {{.*}}swapped_bwd
// CHECK-NOT: llvm.fsh
// CHECK: fadd {{.*}}bfloat
// CHECK-NOT: llvm.fsh
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void swapped(const __nv_bfloat16 *x, __nv_bfloat16 *y) {
  Pair p = reinterpret_cast<const Pair *>(x)[I];
  reinterpret_cast<Pair *>(y)[I] = {p.b, p.a};
}

// CHECK: define {{.*}}turned_bwd
// CHECK-NOT: llvm.fsh
// CHECK: fadd {{.*}}half
// CHECK-NOT: llvm.fsh
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void turned(const __half *x, __half *y) {
  Four v = reinterpret_cast<const Four *>(x)[I];
  reinterpret_cast<Four *>(y)[I] = {v.d, v.a, v.b, v.c};
}

// Other integers on both sides of the shift.
// CHECK: define {{.*}}windows_bwd
// CHECK-NOT: llvm.fsh
// CHECK: fadd {{.*}}bfloat
// CHECK-NOT: llvm.fsh
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void windows(const __nv_bfloat16 *x, __nv_bfloat16 *y) {
  auto pairs = reinterpret_cast<const unsigned *>(x);
  reinterpret_cast<unsigned *>(y)[I] = pairs[I] >> 16 | pairs[I + 1] << 16;
}

// CHECK: define {{.*}}one_changes_bwd
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void one_changes(const __nv_bfloat16 *x, __nv_bfloat16 *y) {
  Pair p = reinterpret_cast<const Pair *>(x)[I];
  p.b = p.a * p.b;
  reinterpret_cast<Pair *>(y)[I] = p;
}

// CHECK: define {{.*}}masks_bwd
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void masks(const __nv_bfloat16 *x, const __nv_bfloat16 *w, __nv_bfloat16 *y) {
  unsigned a = reinterpret_cast<const unsigned *>(x)[I], b = reinterpret_cast<const unsigned *>(w)[I];
  reinterpret_cast<unsigned *>(y)[I] = (a & 0xffff0000u) | (b & 0xffffu);
}

// A bfloat16 number is the upper half of the same float.
// CHECK: define {{.*}}as_floats_bwd
// CHECK: fptrunc {{.*}}float {{.*}} to bfloat
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void as_floats(const __nv_bfloat16 *x, float *y) {
  unsigned pair = reinterpret_cast<const unsigned *>(x)[I];
  y[I] = __uint_as_float(pair & 0xffff0000u) * __uint_as_float(pair << 16);
}
#else
// Shifts that split a number.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rotated(const __nv_bfloat16 *x, __nv_bfloat16 *y) {
  unsigned pair = reinterpret_cast<const unsigned *>(x)[I];
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'rotated': the bits of a number that has a derivative are used as another type
  reinterpret_cast<unsigned *>(y)[I] = pair << 7 | pair >> 25;
}

// Half of the mantissa.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void cut(const __half *x, __half *y) {
  // REFUSED: :[[#@LINE+2]]:{{.*}}error: cannot differentiate 'cut': the same bytes are used as numbers of another type
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'cut': the bits of a number that has a derivative are used as another type
  unsigned pair = reinterpret_cast<const unsigned *>(x)[I] & 0xffe0ffffu;
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'cut': the same bytes are used as numbers of another type
  reinterpret_cast<unsigned *>(y)[I] = pair;
}

// A function of integers.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void counted(const float *x, float *y) {
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'counted': the bits of a number that has a derivative are used as another type
  y[I] = __int_as_float(__brev(__float_as_int(x[I])));
}
#endif
