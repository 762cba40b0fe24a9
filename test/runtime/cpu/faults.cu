// Faults of kernels end their launch, not the process; the next launch is as good as new.
// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 && timeout 100 %t.O1 && timeout 100 %t.O2 && timeout 100 %t.O3
// RUN: env KERNIX_CATCH_FAULTS=0 timeout 100 %t.O2 off
#include "check.h"
#include <csignal>
#include <cstring>
#include <numeric>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

__device__ __attribute__((noinline)) int deep(volatile int *x, int depth) {
  volatile int own[256];
  own[depth % 256] = x[0];
  return depth == 0 ? own[0] : deep(x, depth - 1) + own[depth % 256];
}
__global__ void overflow(int *x, int depth) {
  __syncthreads();
  x[threadIdx.x] = threadIdx.x == 5 ? deep(x + 200, depth) : 1;
  __syncthreads();
}
__global__ void overflow_alone(int *x, int depth) { x[threadIdx.x] = deep(x + 200, depth); }
__global__ void large_frame(int *x, int at) {
  int own[100000];
  for (int i = 0; i < 100000; ++i)
    own[i] = i * at;
  __syncthreads();
  if (at < 0)
    deep(x, 2);
  x[threadIdx.x] = own[at];
}
__global__ void divide(int *x, int by) {
  for (int i = threadIdx.x; i < 100; i += blockDim.x)
    x[i] = x[i] / by;
}
__global__ void write_to(int *x, bool wait) {
  if (wait)
    __syncthreads();
  *x = 1;
}
__global__ void at(std::vector<int> *x, int index, int *out) { out[0] = x->at(index); }
__global__ void gives_up(int *x) {
  if (x[threadIdx.x] == 7)
    std::abort();
}
__global__ void fine(int *x) {
  x[threadIdx.x] = 7;
  __syncthreads();
  x[threadIdx.x + 128] = x[127 - threadIdx.x];
}

static std::vector<int> x(1000);

static void check_fine() {
  fine<<<1, 128>>>(x.data());
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(x[200] == 7);
}
static void check_fails(cudaError_t error, const char *text) {
  CHECK(cudaGetLastError() == error);
  if (!strstr(cudaGetErrorString(error), text)) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
  }
  check_fine();
}

/// Without our handler, and for faults of others: the process ends as it always did.
static int signal_of(void (*function)()) {
  pid_t child = fork();
  if (child == 0) {
    function();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
static void fault_in_kernel() { write_to<<<1, 32>>>(reinterpret_cast<int *>(16), false); }
static void fault_in_host() { *reinterpret_cast<volatile int *>(16) = 1; }

int main(int argc, char **) {
  check_fine();
  CHECK(signal_of(fault_in_host) == SIGSEGV);
  if (argc > 1) {
    CHECK(signal_of(fault_in_kernel) == SIGSEGV);
    return 0;
  }
  CHECK(signal_of(fault_in_kernel) == 0);
  for (int round = 0; round < 3; ++round) {
    overflow<<<3, 64>>>(x.data(), 1000000);
    check_fails(cudaErrorIllegalAddress, "stack overflow");
    CHECK(strstr(cudaGetErrorString(cudaErrorIllegalAddress), "KERNIX_STACK_SIZE"));
    overflow_alone<<<2, 8>>>(x.data(), 100000000);
    check_fails(cudaErrorIllegalAddress, "stack overflow");
    fault_in_kernel();
    check_fails(cudaErrorIllegalAddress, "no access to the memory at 0x10");
    write_to<<<5, 32>>>(reinterpret_cast<int *>(16), true);
    check_fails(cudaErrorIllegalAddress, "no access to the memory at 0x10");
    divide<<<1, 32>>>(x.data(), 0);
    check_fails(cudaErrorLaunchFailure, "integer division by zero");
  }
  overflow<<<3, 64>>>(x.data(), 50);
  CHECK_CUDA(cudaGetLastError());
  large_frame<<<1, 32>>>(x.data(), 999);
  CHECK_CUDA(cudaGetLastError());
  CHECK(x[31] == 999 * 999);
  CHECK_CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20));
  overflow<<<3, 64>>>(x.data(), 3000);
  CHECK_CUDA(cudaGetLastError());

  std::vector<int> three = {1, 2, 3};
  at<<<1, 1>>>(&three, 2, x.data());
  CHECK_CUDA(cudaGetLastError());
  CHECK(x[0] == 3);
  at<<<1, 1>>>(&three, 3, x.data());
  check_fails(cudaErrorLaunchFailure, "std::__throw_out_of_range_fmt was called");
  gives_up<<<1, 64>>>(x.data());
  check_fails(cudaErrorLaunchFailure, "abort was called");
}
