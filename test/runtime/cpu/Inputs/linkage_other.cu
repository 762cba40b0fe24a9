// The second file of linkage.cu.
#include "linkage.h"

namespace {
__device__ int offset = 3;
__constant__ int table[2] = {30, 40};
__global__ void same_name(int *x) { x[threadIdx.x] = 2000 + offset + table[1] + which_pass(); }
} // namespace

int second_file(int *x) {
  same_name<<<1, 1>>>(x);
  return *x;
}
int template_in_second(int *x) {
  shared_template<<<1, 1>>>(x, 5);
  return *x;
}
