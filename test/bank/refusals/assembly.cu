// Nobody knows what it computes.
#include "../kernels/bank.h"

PLAIN_KERNEL void inline_assembly(const float *x, float *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  float v = x[i];
  // refused: assembly|asm
  asm("mulss %0, %0" : "+x"(v));
  y[i] = v;
}
