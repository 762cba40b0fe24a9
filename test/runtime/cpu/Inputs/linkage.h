// linkage.h - what the two files of linkage.cu share.
#pragma once
#include "check.h"

// An inline function whose body differs between the passes: the linker must not merge them.
inline __host__ __device__ __attribute__((noinline)) int which_pass() {
#ifdef __KERNIX_CPU_DEVICE__
  return 2;
#else
  return 1;
#endif
}
template <class T> __global__ void shared_template(T *x, T value) { *x = value; }

int second_file(int *x);
int template_in_first(int *x);
int template_in_second(int *x);
