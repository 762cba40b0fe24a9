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

// Words that lanes exchange.
// CHECK: define {{.*}}exchanged_bwd
// CHECK: fadd {{.*}}double
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void exchanged(const double *x, double *y) {
  int high = __shfl_xor_sync(~0u, __double2hiint(x[I]), 1), low = __shfl_xor_sync(~0u, __double2loint(x[I]), 1);
  y[I] = 2 * __hiloint2double(high, low);
}

// CHECK: define {{.*}}signs_bwd
// CHECK: fcmp
// CHECK: fadd {{.*}}float
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void signs(const float *x, float *y) {
  y[I] = __int_as_float(__float_as_int(x[I]) & 0x7fffffff);
}

// CHECK: define {{.*}}scaled_bwd
// CHECK: fadd {{.*}}float
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void scaled(const float *x, const int *e, float *y) {
  y[I] = __int_as_float(__float_as_int(x[I]) + (e[I] << 23));
}

// CHECK: define {{.*}}selected_bwd
// CHECK: fadd {{.*}}half
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void selected(const __half *x, __half *y) {
  const unsigned *in = reinterpret_cast<const unsigned *>(x);
  reinterpret_cast<unsigned *>(y)[I] = __byte_perm(in[2 * I], in[2 * I + 1], 0x7632);
}

// Shared memory that is declared as words: copies, and words in registers, are of the numbers in them.
// CHECK: define {{.*}}staged_bwd
// CHECK: fmul {{.*}}half
// CHECK: ret void
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void staged(const __half *x, __half *y) {
  __shared__ uint2 tile[32];
  tile[threadIdx.x] = reinterpret_cast<const uint2 *>(x)[threadIdx.x];
  __syncthreads();
  uint2 words = tile[31 - threadIdx.x];
  __half2 a = *reinterpret_cast<__half2 *>(&words.x), b = *reinterpret_cast<__half2 *>(&words.y);
  reinterpret_cast<__half2 *>(y)[threadIdx.x] = __hmul2(a, b);
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
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'cut': the bits of a number that has a derivative are used as another type
  unsigned pair = reinterpret_cast<const unsigned *>(x)[I] & 0xffe0ffffu;
  reinterpret_cast<unsigned *>(y)[I] = pair;
}

// A function of integers.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void counted(const float *x, float *y) {
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'counted': the bits of a number that has a derivative are used as another type
  y[I] = __int_as_float(__brev(__float_as_int(x[I])));
}

// Bytes that are not seen to be whole numbers.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void bytes(const double *x, double *y, int m) {
  double to[4] = {1, 1, 1, 1};
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'bytes': it is not known that this copies or clears whole numbers; let the length be a number of elements times their size, or copy them one by one
  __builtin_memcpy(to, x + I, 4 * m);
  y[I] = to[0] * to[m];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void between_numbers(const double *x, double *y, int m) {
  double to[4] = {1, 1, 1, 1};
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'between_numbers': it is not known that this copies or clears whole numbers
  __builtin_memcpy(reinterpret_cast<char *>(to) + 4, reinterpret_cast<const char *>(x + I) + 4, 8 * m);
  y[I] = to[0] * to[m];
}
#endif
