// RUN: %cpu-cc %t -O1 -ffast-math -DA=2 -DB=2 -DC=2 -DF=2 -DI=2 -DP=2 -DR=2 -DS=2 -DT=float -DV=2 -DFloat=2 -DIndex=2 \
// RUN:   -DType=2 -DValue=2 %s && %t
//
// Macros that people give such names do not reach into the headers, and are there afterwards. Fast math is no warning.
#include <kernix/kernix.h>

#include <kernix/call.h>

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static_assert(A + B + C + F + I + P + R + S + V + Float + Index + Type + Value == 26);
static_assert(sizeof(T) == 4);

__global__ void fill(T *x) { x[threadIdx.x] = powf(__half2float(__float2half(T(V))), threadIdx.x); }

int main() {
  T x[4];
  fill<<<1, 4>>>(x);
  return x[3] == 8 ? 0 : 1;
}
