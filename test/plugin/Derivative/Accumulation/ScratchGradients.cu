// diff(replicated, N) and diff(scatter, N): an odd pointer leads to copies of the elements, or to notes on them.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -O2 -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s --check-prefixes=CHECK,GPU --input-file=%t.ll
// RUN: %cpu-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: FileCheck %s --check-prefix=FACTS --input-file=%t.ll
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: not %cpu-device -DREFUSED=1 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not %cpu-device -DREFUSED=2 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=COMPLEX
#include <complex>
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)
#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__

#ifndef REFUSED
// There are five floats in place of one. The launch facts have bit 0 for `w`.
// FACTS-DAG: %struct.kernix_launch_facts { {{.*}}, i32 1, i32 1, i32 0 }
// CHECK-LABEL: define {{.*}}replicated_bwd
// CHECK: and i64 {{.*}}, 1
// CHECK: urem i64 {{.*}}, 5
// GPU: atomicrmw fadd {{.*}}, float
// GPU-NOT: atomicrmw fadd
// CHECK: {{^}}}
BACKWARD void replicated([[kernix::diff(replicated, 5)]] const float *w, const int *at, float *y, int n) {
  if (I < n)
    y[I] = w[at[I]];
}

// A note is an address and a number; the third of a thread and later ones are added at once.
// CHECK-LABEL: define {{.*}}scatter_bwd
// CHECK: icmp {{(samesign )?}}ult i64 {{.*}}, 2
// CHECK-DAG: store ptr
// CHECK-DAG: store double
// GPU: atomicrmw fadd {{.*}}, double
// CHECK: {{^}}}
BACKWARD void scatter([[kernix::diff(scatter, 2)]] const double *w, const int *at, double *y, int n, int m) {
  double sum = 0;
  for (int k = 0; k < m; ++k)
    sum += w[at[I * m + k]];
  if (I < n)
    y[I] = sum;
}

// What lies in one sector of 32 bytes does so in each copy: the sectors before it, twice.
// GPU-LABEL: define {{.*}}vectors_bwd
// GPU: and i64 {{.*}}, -32
// GPU: red.global.add.v4.f32
// GPU: {{^}}}
BACKWARD void vectors([[kernix::diff(replicated, 2)]] const float4 *w, const int *at, float *y, int n) {
  if (I < n)
    y[I] = w[at[I]].x + w[at[I]].y + w[at[I]].z + w[at[I]].w;
}

// The copies of elements of four bytes are not known to be aligned as the source says that these are.
// GPU-LABEL: define {{.*}}by_four_bwd
// GPU-NOT: red.global
// GPU: {{^}}}
BACKWARD void by_four([[kernix::diff(replicated, 2)]] const float *w, const int *at, float *y, int n) {
  if (I >= n)
    return;
  const float4 v = *reinterpret_cast<const float4 *>(w + 4 * at[I]);
  y[I] = v.x + v.y + v.z + v.w;
}

#elif REFUSED == 1
__device__ float load(const float *p, int k) { return p[k]; }
[[kernix::backward_derivative_of(load)]] __device__ void load_bwd(const float *p, float *gp, int k, float g) {
  atomicAdd(gp + k, g);
}
BACKWARD void given([[kernix::diff(scatter, 5)]] const float *w, float *y) {
  // REFUSED: ScratchGradients.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'given': {{.*}}diff(scatter)]] of 'w' cannot be: its address is given to a function that has a derivative of its own
  y[I] = load(w, 3);
}

#define ROW(X)                                                                                                         \
  const float *X##0, const float *X##1, const float *X##2, const float *X##3, const float *X##4, const float *X##5,    \
      const float *X##6, const float *X##7, const float *X##8, const float *X##9
BACKWARD void late(float *y, ROW(a), ROW(b), ROW(c), const float *d,
                   [[kernix::diff(replicated, 5)]] const float *w) {
  // REFUSED: ScratchGradients.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'late': {{.*}}diff(replicated)]] of 'w' cannot be: only the first 32 parameters can be kept in scratch memory
  y[I] = w[0] * a0[0];
}

#else
// COMPLEX: ScratchGradients.cu:[[#@LINE+1]]:{{.*}}error: 'diff(replicated)' of 'x' is not possible: its elements are not of one floating-point type
BACKWARD void real([[kernix::diff(replicated, 4)]] const std::complex<float> *x, float *y) { y[I] = x->real(); }
#endif
