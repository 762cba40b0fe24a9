// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
#include "check.h"
#include <string>
#include <vector>

// Threads that have returned are not waited for.
__global__ void returned(int *out, int n) {
  __shared__ int x[256];
  if (threadIdx.x >= n)
    return;
  x[threadIdx.x] = threadIdx.x;
  kernix_cpu_barrier();
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i];
  kernix_cpu_barrier();
  if (threadIdx.x % 2)
    return;
  x[threadIdx.x] = sum;
  kernix_cpu_barrier();
  out[threadIdx.x] = x[0] + x[n - 1 - (n - 1) % 2];
}

__global__ void reductions(int *count, int *all, int *any) {
  int t = threadIdx.x;
  count[t] = kernix_cpu_barrier_reduce(KERNIX_CPU_REDUCE_COUNT, t % 3);
  all[t] = kernix_cpu_barrier_reduce(KERNIX_CPU_REDUCE_AND, t < 1000);
  all[t] += 10 * kernix_cpu_barrier_reduce(KERNIX_CPU_REDUCE_AND, t != 5);
  any[t] = kernix_cpu_barrier_reduce(KERNIX_CPU_REDUCE_OR, t == 7);
  any[t] += 10 * kernix_cpu_barrier_reduce(KERNIX_CPU_REDUCE_OR, t > 1000);
}

// Barriers at different places in the code are the same barrier.
__global__ void places(int *out) {
  __shared__ int x;
  if (threadIdx.x == 3) {
    x = 42;
    kernix_cpu_barrier();
  } else {
    kernix_cpu_barrier();
  }
  out[threadIdx.x] = x;
}

// A loop whose number of turns depends on the data, decided by all together.
__global__ void converge(int *x) {
  while (kernix_cpu_barrier_reduce(KERNIX_CPU_REDUCE_OR, x[threadIdx.x] > 0))
    if (x[threadIdx.x] > 0)
      --x[threadIdx.x];
  x[threadIdx.x] = -1;
}

// One half waits at the barrier, the other for lanes that are there.
__global__ void deadlock() {
  if (threadIdx.x % 32 < 16)
    kernix_cpu_barrier();
  else
    kernix_cpu_warp_sync(0xffffffff);
}

int main() {
  std::vector<int> out(256, -1);
  returned<<<1, 256>>>(out.data(), 100);
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < 256; ++i)
    CHECK(out[i] == (i < 100 && i % 2 == 0 ? 2 * 4950 : -1));

  std::vector<int> count(1000), all(1000), any(1000);
  reductions<<<1, 1000>>>(count.data(), all.data(), any.data());
  for (int i = 0; i < 1000; ++i)
    CHECK(count[i] == 666 && all[i] == 1 && any[i] == 1);

  places<<<1, 64>>>(out.data());
  for (int i = 0; i < 64; ++i)
    CHECK(out[i] == 42);

  std::vector<int> x(64);
  for (int i = 0; i < 64; ++i)
    x[i] = i % 10;
  converge<<<1, 64>>>(x.data());
  for (int i = 0; i < 64; ++i)
    CHECK(x[i] == -1);

  deadlock<<<20, 64>>>();
  CHECK(cudaPeekAtLastError() == cudaErrorLaunchFailure);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  std::string text = cudaGetErrorString(cudaErrorLaunchFailure);
  CHECK(text.find("kernel deadlock()") != text.npos && text.find("deadlock in block (") != text.npos);
  CHECK(text.find("32 wait at a barrier, 32 in warp functions") != text.npos);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure && cudaGetLastError() == cudaSuccess);
  // The next launch is not affected.
  places<<<1, 64>>>(out.data());
  CHECK_CUDA(cudaDeviceSynchronize());
}
