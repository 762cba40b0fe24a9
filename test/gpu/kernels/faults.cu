// Kernels with faults, for the tests of what notices them. None is part of the bank.
#include <cassert>
#include <kernix/kernix.h>

[[kernix::bind]]
__global__ void out_of_bounds([[kernix::intent(inout_ptr)]] float *x, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i + 1] = 1; // one beyond the end
}

[[kernix::bind, kernix::grid("1"), kernix::block(128)]]
__global__ void race([[kernix::intent(inout_ptr)]] int *x) {
  __shared__ int part[128];
  part[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = part[127 - threadIdx.x]; // no barrier before
}

[[kernix::bind, kernix::grid("1"), kernix::block(64)]]
__global__ void half_a_barrier([[kernix::intent(inout_ptr)]] int *x) {
  if (threadIdx.x % 32 < 16)
    __syncthreads(); // not for the other half of each warp
  x[threadIdx.x] += 1;
}

[[kernix::bind]]
__global__ void null_access([[kernix::intent(inout_ptr)]] float *x, [[kernix::optional]] const float *missing,
                            [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = missing[i];
}

[[kernix::bind]]
__global__ void failed_assert([[kernix::intent(inout_ptr)]] float *x, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < 0);
  x[i] = static_cast<float>(n);
}

[[kernix::bind]]
__global__ void fine([[kernix::intent(inout_ptr)]] float *x, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += 1;
}

// More registers than a block of 1024 threads can have.
[[kernix::bind, kernix::grid("1")]]
__global__ void __launch_bounds__(128)
    bounded([[kernix::intent(inout_ptr)]] float *x, [[kernix::value("x.numel()")]] int n) {
  int i = threadIdx.x;
  if (i < n)
    x[i] += 1;
}

// All 40 numbers of a row are there at the same time, and so are their derivatives.
__device__ float all_pairs(const float *x) {
  float v[40], sum = 0;
#pragma unroll
  for (int k = 0; k < 40; ++k)
    v[k] = x[k] * x[k];
#pragma unroll
  for (int k = 0; k < 40; ++k)
#pragma unroll
    for (int j = 1; j < 4; ++j)
      sum += v[k] * v[(k + 13 * j) % 40];
  return sum;
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void many_registers(const float *x, [[kernix::shape("x.size(0)")]] float *y,
                               [[kernix::value("x.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = all_pairs(x + 40 * i);
}

[[kernix::bind, kernix::differentiable(backward), kernix::block(1024)]]
__global__ void many_registers_of_1024(const float *x, [[kernix::shape("x.size(0)")]] float *y,
                                       [[kernix::value("x.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = all_pairs(x + 40 * i);
}
