// What has no rule is refused where it begins: inline PTX that computes with numbers, or may touch memory, or wait.
// REQUIRES: cuda
// RUN: not %toolkit-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

#define KERNEL [[kernix::bind, kernix::differentiable(backward)]] __global__ void
#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

KERNEL rounded_otherwise(const float *x, float *y) {
  float v;
  // CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'rounded_otherwise': the inline assembly 'add.rz.f32' has no derivative: write it in C++, or give the function around it
  asm("add.rz.f32 %0, %1, %1;" : "=f"(v) : "f"(x[I]));
  y[I] = v * v;
}

// An address that is an integer is one all the same.
KERNEL read_from_shared(const float *x, float *y) {
  __shared__ float s[32];
  s[threadIdx.x] = x[I];
  __syncthreads();
  unsigned at = __cvta_generic_to_shared(&s[31 - threadIdx.x]);
  float v;
  // CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'read_from_shared': the inline assembly 'ld.shared.f32' accesses memory that a derivative needs to follow; write this access in C++
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
  y[I] = v;
}

KERNEL copied_to_shared(const float *x, float *y) {
  __shared__ float s[32];
  unsigned at = __cvta_generic_to_shared(&s[threadIdx.x]);
  // CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'copied_to_shared': the inline assembly 'cp.async.ca.shared.global' accesses memory that a derivative needs to follow
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(reinterpret_cast<unsigned long long>(x + I)));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  y[I] = s[31 - threadIdx.x];
}

// Integers that the backward kernel needs are not copied there again.
KERNEL indices_copied(const float *x, const int *k, float *y) {
  __shared__ int s[32];
  unsigned at = __cvta_generic_to_shared(&s[threadIdx.x]);
  // CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'indices_copied': the inline assembly 'cp.async.ca.shared.global' accesses memory that a derivative needs to follow
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(k + I));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  y[I] = x[s[31 - threadIdx.x]];
}

KERNEL barrier_of_some(const float *x, float *y) {
  __shared__ float s[32];
  s[threadIdx.x] = x[I];
  // CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'barrier_of_some': threads may wait for each other in the inline assembly 'bar.sync', and shared memory holds numbers that have a derivative; use __syncthreads(), __syncwarp() or cooperative groups
  asm volatile("bar.sync %0, %1;" ::"r"(1), "r"(32) : "memory");
  y[I] = s[31 - threadIdx.x] * x[I];
}

KERNEL barrier_by_number(const float *x, float *y) {
  __shared__ float s[32];
  s[threadIdx.x] = x[I];
  // CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'barrier_by_number': a barrier that is not for the whole block or warp, and shared memory holds numbers that have a derivative; use __syncthreads()
  __nvvm_bar_sync(1);
  y[I] = s[31 - threadIdx.x] * x[I];
}

// One error for each cause, not for what follows from it.
KERNEL guess(const float *x, float *y) {
  float v = x[I];
  // CHECK: :[[#@LINE+1]]:25: error: cannot differentiate 'guess': the bits of a number that has a derivative are used as another type; use functions of numbers (fabsf, copysignf, ldexpf, rsqrtf), or mark the result
  int b = 0x5f3759df - (__float_as_int(v) >> 1);
  float r = __int_as_float(b);
  y[I] = r * (1.5f - 0.5f * v * r * r);
}

KERNEL shuffled_key(const float *x, float *y) {
  int b = __float_as_int(x[I]);
  // CHECK: :[[#@LINE+1]]:7: error: cannot differentiate 'shuffled_key': this shuffles integers that hold bits of a number that has a derivative; shuffle the number
  b = __shfl_xor_sync(~0u, b, 1) + 3;
  y[I] = __int_as_float(b);
}

// These are fine: no number, or nothing that a derivative has to do with.
KERNEL positive(const float *x, const int *k, float *y, long long *t) {
  __shared__ float s[32];
  unsigned bits, machine;
  long long start = clock64();
  asm("bfe.u32 %0, %1, 3, 4;" : "=r"(bits) : "r"(k[I]));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(machine));
  s[threadIdx.x] = x[I] * bits;
  asm volatile("bar.sync 0;" ::: "memory");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(x + I + 32));
  asm volatile("fence.acq_rel.cta;" ::: "memory");
  y[I] = s[31 - threadIdx.x] * x[I];
  t[I] = clock64() - start + machine;
}
