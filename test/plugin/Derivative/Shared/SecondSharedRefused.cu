// Second derivatives of kernels with shared memory: what the first one keeps there has a name, and what no launch can
// fulfil is said at once.
// REQUIRES: cpu
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(2)]]
__global__ void bins_in_turn(const double *x, const int *at, double *y, int n) {
  __shared__ double bins[32];
  double a = x[threadIdx.x], sum = 0;
  for (int k = 0; k < n; ++k) {
    a = 0.5 * a + x[k];
    if (threadIdx.x < 32)
      bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[at[threadIdx.x]], tanh(a));
    __syncthreads();
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'bins_in_turn_bwd': the backward computes a loop again that reads 'bins_grad', whose contents this operation changes in a way that cannot be undone
    sum = 0.5 * sum + bins[at[threadIdx.x] / 2];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'scanned_and_turned_bwd': every launch of it would end in an error: what it asks of the launch at one place rules out what it asks at another
[[kernix::bind, kernix::differentiable(2)]]
__global__ void scanned_and_turned(const double *x, double *y, int n) {
  const int t = threadIdx.x, all = blockDim.x;
  __shared__ double scanned[256], turned[8][33];
  double a = x[t];
  if (n == 2) {
    int now = 0;
    scanned[t] = a;
    __syncthreads();
    for (int step = 1; step < all; step *= 2) {
      scanned[(1 - now) * 128 + t] = scanned[now * 128 + t] + (t >= step ? 0.5 * scanned[now * 128 + t - step] : 0.0);
      now = 1 - now;
      __syncthreads();
    }
    a = scanned[now * 128 + t];
    __syncthreads();
  }
  turned[(t / 16) % 8][t % 16] = a * a;
  __syncthreads();
  y[t] = turned[(all / 16 - 1 - t / 16) % 8][15 - t % 16];
}

template <class Index, int Steps> __device__ void multiplied(Index *given, Index &own, int n) {
#pragma unroll
  for (int k = 0; k < (Steps ? Steps : n); ++k) {
    const Index next = given[(threadIdx.x + 1) & 63] * own;
    __syncthreads();
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'overwritten': this overwrites 'values', which is read in a loop, and the backward puts back what was there: that has no second derivative; unroll the loop
    own = next + own * own;
    __syncthreads();
  }
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void overwritten(const double *x, double *y, int n) {
  __shared__ double values[64];
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  multiplied<double, 0>(values, values[threadIdx.x], n);
  y[threadIdx.x] = values[threadIdx.x];
}

// Integers, too.
[[kernix::bind, kernix::differentiable(2)]]
__global__ void overwritten_places(const double *x, const int *at, double *y, int n) {
  __shared__ int places[64];
  double sum = 1;
  for (int k = 0; k < n; ++k) {
    sum *= x[places[(threadIdx.x + k) & 63]];
    __syncthreads();
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate 'overwritten_places': this overwrites 'places', which is read in a loop
    places[threadIdx.x] += at[k];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

[[kernix::bind, kernix::differentiable(2)]]
__global__ void unrolled(const double *x, double *y) {
  __shared__ double values[64];
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  multiplied<double, 4>(values, values[threadIdx.x], 4);
  y[threadIdx.x] = values[threadIdx.x];
}

// CHECK-NOT: error: cannot
