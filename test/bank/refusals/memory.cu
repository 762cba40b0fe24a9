// Memory: what several threads touch, what cannot be read again in the backward kernel.
#include "../kernels/bank.h"

PLAIN_KERNEL void result_of_an_atomic(const float *x, float *sum, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // refused: atomic
  float before = atomicAdd(sum, x[i]);
  y[i] = before * x[i];
}

PLAIN_KERNEL void atomic_slot_as_address(const float *x, int *count, float *y, int n) {
  int i = thread_index();
  if (i >= n || x[i] < 0)
    return;
  // refused: atomic
  int slot = atomicAdd(count, 1);
  y[slot] = x[i] * x[i];
}

PLAIN_KERNEL void atomic_maximum(const float *x, int *y, float *z, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // refused: atomic|integer|bits|bytes
  atomicMax(y, __float_as_int(x[i]));
  z[i] = x[i];
}

PLAIN_KERNEL void atomic_exchange(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    // refused: atomic|integer|bits|bytes
    atomicExch(&y[i % 3], x[i] * x[i]);
}

PLAIN_KERNEL void everybody_stores_to_one(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    // refused: several threads|same address|one thread
    y[0] = x[i] * x[i];
}

PLAIN_KERNEL void another_threads_write(const float *x, float *y, float *z, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[i] * x[i];
  // refused: thread|written|stores
  z[i] = y[(i + 1) % n] * x[i];
}

__device__ float last_value;

PLAIN_KERNEL void store_to_a_global(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // refused: global
  last_value = x[i] * 2;
  y[i] = x[i];
}

PLAIN_KERNEL void plain_and_atomic(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  y[i] = x[i];
  // refused: atomic
  atomicAdd(&y[(i + 1) % n], x[i]);
}

PLAIN_KERNEL void volatile_read(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  const volatile float *p = x;
  // refused: volatile
  y[i] = p[i] * p[i];
}

PLAIN_KERNEL void clock_as_factor(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    // refused: clock
    y[i] = x[i] * static_cast<float>(clock64() & 7);
}

PLAIN_KERNEL void scattered_in_a_loop(const float *x, const int *at, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  for (int k = 0; k < 4; ++k)
    // refused: local variable|address
    y[at[i * 4 + k]] = x[i] * k;
}

__device__ const float *rows[4];

PLAIN_KERNEL void pointer_from_memory(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    // refused: pointer
    y[i] = rows[i & 3][0] * x[i];
}

PLAIN_KERNEL void written_before_it_is_read(const float *x, float *y, int n) {
  int i = thread_index();
  if (i + 1 >= n)
    return;
  y[i] = x[i] * x[i];
  // refused: thread|written|stores
  y[i] = y[i] * y[i + 1];
}

PLAIN_KERNEL void exchanged_atomically(const float *x, float *y, int n) {
  // refused: an atomic operation other than addition
  atomicExch(&y[threadIdx.x & 1], x[threadIdx.x]);
}

PLAIN_KERNEL void added_by_comparing_and_swapping(const float *x, float *y, int n) {
  int *place = reinterpret_cast<int *>(y);
  int old = *place, assumed;
  do {
    assumed = old;
    // refused: an atomic operation other than addition
    old = atomicCAS(place, assumed, __float_as_int(x[threadIdx.x] + __int_as_float(assumed)));
  } while (assumed != old);
}
