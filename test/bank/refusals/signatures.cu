// What the attribute itself cannot stand on.
#include "../kernels/bank.h"

// refused: floating
PLAIN_KERNEL void nothing_to_differentiate(const int *x, int *y, int n) {
  int i = thread_index();
  if (i < n)
    y[i] = x[i] * 2;
}
