// Many host threads launch at once, kernels of both kinds, with errors among them; then after fork.
// RUN: %cpu-cc %t -O2 -I%inputs %s
// RUN: timeout 100 %t
// RUN: env KERNIX_NUM_THREADS=1 timeout 100 %t
// RUN: env KERNIX_NUM_THREADS=0x4 timeout 100 %t 2>&1 | FileCheck %s
// CHECK: kernix: KERNIX_NUM_THREADS: expected a number of threads, got '0x4', which has no effect
#include "check.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

__global__ void add(int *x, int by) { x[blockIdx.x * blockDim.x + threadIdx.x] += by; }
__global__ void add_after_barrier(int *x, int by) {
  __shared__ int data[64];
  data[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  kernix_cpu_barrier();
  x[blockIdx.x * blockDim.x + threadIdx.x] = data[(threadIdx.x + 1) % 64] + by;
}
__global__ void fails() {
  if (blockIdx.x == 5)
    kernix_cpu_trap();
}

void work(int id) {
  std::vector<int> x(64 * 50);
  for (int i = 0; i < 300; ++i) {
    add<<<50, 64>>>(x.data(), id);
    add_after_barrier<<<50, 64>>>(x.data(), 1);
    CHECK_CUDA(cudaDeviceSynchronize());
    if (i % 50 == id) {
      fails<<<10, 64>>>();
      CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    }
  }
  for (int value : x)
    CHECK(value == 300 * (id + 1));
}

int main() {
  std::vector<std::thread> threads;
  for (int id = 0; id < 16; ++id)
    threads.emplace_back(work, id);
  for (std::thread &thread : threads)
    thread.join();
  pid_t child = fork();
  if (child == 0) {
    work(3);
    _exit(0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  work(4);
}
