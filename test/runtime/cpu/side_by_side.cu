// Blocks whose threads step through data a grid at a time run side by side, as one wide block. Each kernel is checked
// against plain host code, for grids narrower and wider than what runs side by side.
// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
// RUN: env KERNIX_NUM_THREADS=3 timeout 100 %t.O3
#include "check.h"
#include <vector>

template <class T> __device__ T global_index() { return static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x); }

template <class T> __global__ void map(unsigned *visits, T n, const int *x, long *y) {
  for (T i = global_index<T>(); i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&visits[i], 1u);
    y[i] = 3L * x[i] + i;
  }
}

// A variable of each thread, and a second loop behind the first.
__global__ void partial_sums(int n, const int *x, long *sums, int *ends) {
  int start = blockIdx.x * blockDim.x + threadIdx.x, i = start;
  long sum = 0;
  for (; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  for (int k = start; k < n; k += gridDim.x * blockDim.x)
    sum -= 2 * x[k];
  sums[start] = sum;
  ends[start] = i;
}

// Threads that return before, loops within a step, steps that are left out, rows of the grid and of the block.
__global__ void rows(int n, int last, const int *x, long *y) {
  int start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start > last)
    return;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  for (int i = start; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] % 5 == 0)
      continue;
    long sum = row;
    for (int k = 0; k < x[i] % 4; ++k)
      sum = sum * 3 + x[i];
    y[static_cast<long>(row) * n + i] = sum;
  }
}

// What may not run as one: the place in the block, and the number of the block, are known.
__global__ void places(int n, int *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = blockIdx.x * 10000 + threadIdx.x;
}

std::vector<int> numbers(int n) {
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i)
    x[i] = (i * 7919) % 1009;
  return x;
}

template <class T> void check_map(int blocks, int threads, int n) {
  std::vector<int> x = numbers(n);
  std::vector<unsigned> visits(n + 1);
  std::vector<long> y(n + 1, -1);
  map<T><<<blocks, threads>>>(visits.data(), static_cast<T>(n), x.data(), y.data());
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < n; ++i)
    CHECK(visits[i] == 1 && y[i] == 3L * x[i] + i);
  CHECK(visits[n] == 0 && y[n] == -1);
}

void check_partial_sums(int blocks, int threads, int n) {
  std::vector<int> x = numbers(n), ends(blocks * threads);
  std::vector<long> sums(blocks * threads);
  partial_sums<<<blocks, threads>>>(n, x.data(), sums.data(), ends.data());
  CHECK_CUDA(cudaGetLastError());
  for (int t = 0; t < blocks * threads; ++t) {
    long sum = 0;
    int i = t;
    for (; i < n; i += blocks * threads)
      sum -= x[i];
    CHECK(sums[t] == sum && ends[t] == i);
  }
}

void check_rows(dim3 blocks, dim3 threads, int n, int last) {
  std::vector<int> x = numbers(n);
  int height = static_cast<int>(blocks.y * threads.y), width = static_cast<int>(blocks.x * threads.x);
  std::vector<long> y(static_cast<size_t>(height) * n, -1), expected(y);
  rows<<<blocks, threads>>>(n, last, x.data(), y.data());
  CHECK_CUDA(cudaGetLastError());
  for (int row = 0; row < height; ++row)
    for (int i = 0; i < n; ++i) {
      if (x[i] % 5 == 0 || i % width > last)
        continue;
      long sum = row;
      for (int k = 0; k < x[i] % 4; ++k)
        sum = sum * 3 + x[i];
      expected[static_cast<size_t>(row) * n + i] = sum;
    }
  CHECK(y == expected);
}

void check_places(int blocks, int threads, int n) {
  std::vector<int> y(n);
  places<<<blocks, threads>>>(n, y.data());
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < n; ++i) {
    int at = i % (blocks * threads);
    CHECK(y[i] == at / threads * 10000 + at % threads);
  }
}

int main() {
  for (int blocks : {1, 2, 63, 64, 65, 200})
    for (int threads : {1, 33, 256})
      for (int n : {0, 1, 100, 5000, 40000}) {
        check_map<int>(blocks, threads, n);
        check_map<unsigned>(blocks, threads, n);
        check_map<long>(blocks, threads, n);
        check_map<unsigned long>(blocks, threads, n);
        check_partial_sums(blocks, threads, n);
        check_places(blocks, threads, n);
      }
  for (unsigned blocks : {1u, 5u, 70u})
    for (int last : {0, 10, 1 << 30}) {
      check_rows({blocks, 3}, {32, 4}, 1000, last);
      check_rows({blocks, 1}, {7, 1, 2}, 500, last);
    }
}
