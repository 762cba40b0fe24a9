// Atomics of all threads on one address: added up first where nobody can tell, one by one otherwise.
// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <algorithm>
#include <numeric>
#include <vector>

__global__ void sums(const float *x, int n, float *total, double *squares, int *count, unsigned *most, int *least) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  atomicAdd(total, v);
  atomicAdd(squares, static_cast<double>(v) * v);
  if (v > 3)
    atomicAdd(count, 1);
  atomicMax(most, static_cast<unsigned>(v));
  atomicMin(least, i - 7);
}
// Nobody may touch the address if no thread has something for it.
__global__ void optional(const float *x, float *total) {
  if (total)
    atomicAdd(total, x[threadIdx.x]);
}
// A thread sees its own.
__global__ void look(int *total, int *seen) {
  atomicAdd(total, 1);
  seen[threadIdx.x] = *total;
}
__global__ void numbers(int *next, int *mine) { mine[threadIdx.x] = atomicAdd(next, 1); }
// Whoever comes last finds the sums of all blocks: a fence between the two.
__global__ void last_block(const int *x, int *parts, unsigned *done, int *result) {
  __shared__ bool last;
  atomicAdd(&parts[blockIdx.x], x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0)
    for (unsigned block = 0; block < gridDim.x; ++block)
      *result += atomicAdd(&parts[block], 0);
}
__global__ void histogram(const int *x, int n, int *bins) {
  __shared__ int own[8];
  __shared__ int all;
  if (threadIdx.x < 8)
    own[threadIdx.x] = 0;
  all = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicAdd(&own[x[i] & 7], 1);
    atomicAdd(&all, 1);
  }
  __syncthreads();
  if (threadIdx.x < 8)
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
  if (threadIdx.x == 8)
    atomicAdd(&bins[8], all);
}

int main() {
  int n = 3000;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 9);
  float total = 100;
  double squares = 0, expected = 0;
  int count = 0, least = 100;
  unsigned most = 3;
  sums<<<12, 256>>>(x.data(), n, &total, &squares, &count, &most, &least);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (float v : x)
    expected += v * v;
  CHECK(total == 100 + std::accumulate(x.begin(), x.end(), 0.0f));
  CHECK(squares == expected && most == 8 && least == -7);
  CHECK(count == std::count_if(x.begin(), x.end(), [](float v) { return v > 3; }));

  optional<<<1, 64>>>(x.data(), nullptr);
  CHECK_CUDA(cudaDeviceSynchronize());
  total = 0;
  optional<<<1, 64>>>(x.data(), &total);
  CHECK(total == std::accumulate(x.begin(), x.begin() + 64, 0.0f));

  std::vector<int> seen(64);
  int start = 10;
  look<<<1, 64>>>(&start, seen.data());
  CHECK(start == 74);
  for (int value : seen)
    CHECK(value > 10 && value <= 74);
  start = 0;
  numbers<<<1, 64>>>(&start, seen.data());
  std::sort(seen.begin(), seen.end());
  for (int i = 0; i < 64; ++i)
    CHECK(seen[i] == i);

  std::vector<int> y(n), parts(40), bins(9);
  std::iota(y.begin(), y.end(), 0);
  int result = 0;
  unsigned done = 0;
  last_block<<<40, 128>>>(y.data(), parts.data(), &done, &result);
  CHECK(result == 40 * (127 * 128 / 2));
  histogram<<<2, 64>>>(y.data(), n, bins.data());
  for (int i = 0; i < 8; ++i)
    CHECK(bins[i] == 2 * n / 8);
  CHECK(bins[8] == 2 * n);
}
