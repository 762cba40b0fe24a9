// Shared memory that is cut into arrays of several types has derivatives, as long as no byte is read as another type than
// it was stored as.
// REQUIRES: cuda, cpu
// RUN: %toolkit-device -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %cpu-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable(backward)]] __global__ void
#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

#ifndef REFUSED
// CHECK: define {{.*}}positive_bwd
// CHECK: atomicrmw fadd ptr {{.*}}, double
// CHECK: ret void
KERNEL positive(const double *x, const int *k, double *y, int n) {
  extern __shared__ float pool[];
  double *a = reinterpret_cast<double *>(pool);
  int *at = reinterpret_cast<int *>(a + n);
  a[threadIdx.x] = x[I];
  at[threadIdx.x] = k[I];
  __syncthreads();
  y[I] = 2 * a[at[threadIdx.x]];
}
#else
// Read as integers only: what they are made of is the numbers.
KERNEL other_type(const float *x, float *y) {
  extern __shared__ float pool[];
  pool[threadIdx.x] = x[I];
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'other_type': the bits of a number that has a derivative are used as another type
  int bits = reinterpret_cast<int *>(pool)[threadIdx.x ^ 1] + 7;
  y[I] = __int_as_float(bits);
}

// In place, where numbers are.
KERNEL changed_in_place(const float *x, float *y) {
  extern __shared__ float pool[];
  pool[threadIdx.x] = x[I];
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'changed_in_place': the bits of a number that has a derivative are used as another type
  reinterpret_cast<int *>(pool)[threadIdx.x] &= 0xffff0000;
  __syncthreads();
  y[I] = pool[threadIdx.x ^ 1];
}

// A double of two floats.
KERNEL two_as_one(const float *x, double *y) {
  extern __shared__ float pool[];
  pool[threadIdx.x] = x[I];
  __syncthreads();
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'two_as_one': the same bytes of 'pool' may be used as numbers of several types; cut it into arrays by pointers, and let all threads store what is read as another type than before
  y[I] = reinterpret_cast<double *>(pool)[threadIdx.x / 2];
}

// Not by all threads: some read what the other type left.
KERNEL stored_by_some(const float *x, const double *z, double *y, int n) {
  extern __shared__ double twice[];
  float *a = reinterpret_cast<float *>(twice);
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'stored_by_some': the same bytes of 'twice' may be used as numbers of several types; cut it into arrays by pointers, and let all threads store what is read as another type than before
  a[threadIdx.x] = x[I];
  __syncthreads();
  float v = a[threadIdx.x ^ 1];
  __syncthreads();
  if (threadIdx.x < n)
    twice[threadIdx.x] = z[I];
  __syncthreads();
  y[I] = v * twice[threadIdx.x ^ 1];
}

// An integer among others, but it has the bits of a number.
KERNEL bits_beside(const float *x, float *y, int n) {
  extern __shared__ float pool[];
  int *words = reinterpret_cast<int *>(pool + n);
  pool[threadIdx.x] = x[I];
  // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'bits_beside': the bits of a number that has a derivative are used as another type
  words[threadIdx.x] = __float_as_int(x[I]) * 3;
  __syncthreads();
  y[I] = pool[threadIdx.x ^ 1] * __int_as_float(words[threadIdx.x ^ 1]);
}
#endif
