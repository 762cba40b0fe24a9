// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
//
// The standard library and CUDA's own functions without any toolkit header.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <tuple>

// CHECK: .entry {{.*}}everyday
// CHECK: bar
__global__ void __launch_bounds__(256) everyday(float *x, const __grid_constant__ int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? std::sin(__ldg(x + i)) : std::numeric_limits<float>::max();
  __syncthreads();
  std::complex<float> c(tile[threadIdx.x], std::min(1.0f, tile[0]));
  x[i] = std::abs(c) + rsqrtf(c.real()) + __expf(c.imag()) + __shfl_xor_sync(0xffffffffu, tile[1], 1);
  atomicAdd(x, erfinvf(x[i]));
  assert(n > 0);
  if (i == 0)
    printf("%d\n", n);
}
