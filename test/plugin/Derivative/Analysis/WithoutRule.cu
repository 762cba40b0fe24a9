// What has no rule is refused where it begins: inline PTX that computes with numbers, or may touch memory, or wait.
// REQUIRES: cuda
// RUN: not %toolkit-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>
#include <mma.h>
#include "../../Inputs/small_cooperative_groups.h"

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

KERNEL waits_for_grid(const float *x, unsigned *arrived, float *between, float *y) {
  between[I] = x[I] * x[I];
  // CHECK: small_cooperative_groups.h:8:3: error: cannot differentiate 'waits_for_grid': a kernel that waits for its whole grid has no derivative: end it here, and let a second kernel do what follows
  cooperative_groups::sync(arrived);
  y[I] = between[I + 1] * x[I];
}

KERNEL texture(cudaTextureObject_t image, const float *x, float *y) {
  // CHECK: :[[#@LINE+1]]:10: error: cannot differentiate 'texture': textures and surfaces have no derivative; use a tensor
  y[I] = tex2D<float>(image, x[I], 0.5f);
}

KERNEL fragments(const __half *a, const __half *b, float *c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  // CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'fragments': products of matrix fragments have no derivative; give the function around them
  store_matrix_sync(c, sum, 16, mem_row_major);
}

KERNEL allocated(const float *x, float *y, int n) {
  float *own = new float[4];
  own[n] = x[I];
  y[I] = own[n] * own[0];
  // CHECK: :[[#@LINE+1]]:3: error: cannot differentiate 'allocated': memory that a thread allocates has no derivative; use a local array of a constant size
  delete[] own;
}

KERNEL of_any_size(const float *x, float *y, int n) {
  float *own = static_cast<float *>(__builtin_alloca(4 * n));
  for (int k = 0; k < n; ++k)
    // CHECK: :[[#@LINE+1]]:12: error: cannot differentiate 'of_any_size': a local array whose size is only known when it runs has no derivative; give it a constant size
    own[k] = x[k];
  // CHECK: :[[#@LINE+1]]:10: error: cannot differentiate 'of_any_size': a local array whose size
  y[I] = own[n - 1];
}

KERNEL table_of_addresses(const unsigned long long *tensors, const float *x, float *y) {
  auto one = reinterpret_cast<const float *>(tensors[blockIdx.x]);
  // CHECK: :[[#@LINE+1]]:10: error: cannot differentiate 'table_of_addresses': it is not known where this pointer leads: a number with a derivative is only followed through parameters, tensors and local variables; give what is kept behind it to the function as a parameter of its own
  y[I] = one[I] * x[I];
}

struct Number {
  float *at;
  int weight;
};
// What is stored there may be any of the numbers whose addresses are kept.
KERNEL overwritten(const float *x, const int *k, float *y) {
  float a = x[I], b = 2 * x[I];
  Number numbers[2] = {{&a, 3}, {&b, 4}};
  // CHECK: :[[#@LINE+1]]:21: error: cannot differentiate 'overwritten': it is not known where this pointer leads: a number with a derivative is only followed through parameters, tensors and local variables; use an index instead of a pointer
  *numbers[k[I]].at = 1;
  y[I] = a * 3 + b * numbers[k[I]].weight;
}

struct Row {
  int k;
  float values[70];
};
struct RowOfNumbers {
  const Row *row;
  int weight;
};
KERNEL copied(const float *x, const int *k, float *y) {
  Row a, b;
  a.k = b.k = 1;
  for (int j = 0; j < 70; ++j)
    a.values[j] = b.values[j] = x[I] * j;
  RowOfNumbers rows[2] = {{&a, 3}, {&b, 4}};
  // CHECK: :[[#@LINE+1]]:13: error: cannot differentiate 'copied': it is not known where this pointer leads
  Row row = *rows[k[I]].row;
  y[I] = row.values[k[I]] * rows[k[I]].weight;
}

// The number and the pointer of one element: what is stored to one of them would have to be followed to both.
KERNEL beside_numbers(const float *x, const int *k, float *y) {
  struct {
    float v;
    const float *at;
  } numbers[2];
  for (int j = 0; j < 2; ++j) {
    numbers[j].v = x[I] * j;
    // CHECK: :[[#@LINE+1]]:19: error: cannot differentiate 'beside_numbers': a pointer is kept in memory that also holds numbers with derivatives; keep pointers in variables or arrays of their own, or use indices
    numbers[j].at = &numbers[k[I] & 1].v;
  }
  y[I] = numbers[k[I] & 1].at == &numbers[0].v ? numbers[k[I] & 1].v : 2;
}

// Of bytes that are not zero nobody knows which numbers they are.
KERNEL set_to_bytes(const float *x, float *y, int n) {
  float t[8];
  for (int k = 0; k < 8; ++k)
    t[k] = x[I] * k;
  if (n > 5)
    // CHECK: :[[#@LINE+1]]:5: error: cannot differentiate 'set_to_bytes': memset to another value than zero of numbers that have a derivative; assign the value
    memset(t, 1, n * sizeof(float));
  y[I] = t[n % 8];
}

struct TwoTypes {
  float weights[3];
  double bias;
};
KERNEL weighted([[kernix::diff]] TwoTypes p, const float *x, float *y, int k) {
  // CHECK: :[[#@LINE+1]]:17: error: cannot differentiate 'weighted': a computed index into the parameter 'p', which does not only consist of numbers of one type
  y[I] = x[I] * p.weights[k];
}

// The caller does not know the addresses of local variables.
[[kernix::bind, kernix::differentiable(forward)]] __global__ void
counted_elsewhere(const float *x, const unsigned long long *counts, const int *k, float *y) {
  float a = x[I], b = 2 * x[I];
  Number numbers[2] = {{&a, 3}, {&b, 4}};
  *reinterpret_cast<int *>(counts[k[I]]) = numbers[k[I]].weight;
  y[I] = a * b;
}

KERNEL largest_bits(const float *x, float *y) {
  // CHECK: :[[#@LINE+1]]:32: error: cannot differentiate 'largest_bits': this compares or adds integers that hold bits of a number that has a derivative; exchange the numbers with __shfl_xor_sync()
  y[I] = x[I] / __int_as_float(__reduce_max_sync(~0u, __float_as_int(x[I])));
}

KERNEL sum_by_exchange(const float *x, float *y) {
  auto *sum = reinterpret_cast<int *>(y);
  int old = *sum, seen;
  do {
    seen = old;
    // CHECK: :[[#@LINE+1]]:11: error: cannot differentiate 'sum_by_exchange': an atomic operation other than addition on numbers that have a derivative; add with atomicAdd, find maxima with shuffles or a loop over shared memory, or write this derivative by hand
    old = atomicCAS(sum, seen, __float_as_int(__int_as_float(seen) + x[I]));
  } while (seen != old);
}

// Which lanes have the same number is an integer.
KERNEL counted_equals(const float *x, float *y) {
  y[I] = x[I] * __popc(__match_any_sync(~0u, __float_as_uint(x[I])));
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
  __builtin_prefetch(x + I + 64);
  __builtin_prefetch(y + I + 64, 1);
  asm volatile("fence.acq_rel.cta;" ::: "memory");
  y[I] = s[31 - threadIdx.x] * x[I];
  t[I] = clock64() - start + machine;
}

struct OneType {
  float weights[3], bias;
};
KERNEL positive_parameter([[kernix::diff]] OneType p, const float *x, float *y, int k) { y[I] = x[I] * p.weights[k]; }

KERNEL positive_zeros(const float *x, float *y, int n) {
  float t[8];
  for (int k = 0; k < 8; ++k)
    t[k] = x[I] * k;
  if (n > 5)
    memset(t, 0, n * sizeof(float));
  y[I] = t[n % 8];
}
