// A volatile tensor cannot have a gradient: each read of it may give something else.
#include "../kernels/bank.h"

PLAIN_KERNEL void volatile_parameter(
    // refused: volatile
    const volatile float *x, float *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i];
}
