// Control flow and calls that cannot be followed.
#include "../kernels/bank.h"

PLAIN_KERNEL void irreducible(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float v = x[i];
  int k = 0;
  if (v > 0)
    goto middle;
top:
  // refused: irreducible
  v = v * 0.5f + 1;
middle:
  v = sinf(v) * 3;
  if (++k < 5)
    goto top;
  y[i] = v;
}

__device__ __noinline__ float power_by_recursion(float v, int k) {
  // refused: recurs
  return k <= 0 ? 1 : v * power_by_recursion(v * 0.9f, k - 1);
}

PLAIN_KERNEL void recursion(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = power_by_recursion(x[i], n % 7);
}

using Function = float (*)(float);
__device__ __noinline__ float twice(float v) { return 2 * v; }
__device__ __noinline__ float squared(float v) { return v * v; }

__device__ Function table[2] = {twice, squared};

PLAIN_KERNEL void indirect_call(const float *x, const int *which, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  // refused: indirect|pointer
  y[i] = table[which[i] & 1](x[i]);
}

__device__ float from_elsewhere(float v);

PLAIN_KERNEL void external_function(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    // refused: from_elsewhere
    y[i] = from_elsewhere(x[i]);
}

struct Animal {
  __device__ virtual float weight(float v) const = 0;
};

__device__ const Animal *animals[4];

PLAIN_KERNEL void unresolved_virtual_call(const float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    // refused: indirect|virtual|pointer
    y[i] = animals[i & 3]->weight(x[i]);
}
