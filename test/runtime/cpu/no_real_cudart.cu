// Nothing binds to the real CUDA runtime, whose names another library of the process may define.
// RUN: clang-22 -shared -fPIC %inputs/fake_cudart.c -o %t.fake.so
// RUN: %cpu-cc %t -O1 -I%inputs %s %t.fake.so
// RUN: timeout 100 %t
#include "check.h"
#include <dlfcn.h>

__global__ void one(int *x) { *x = 1; }

int main() {
  CHECK(dlsym(RTLD_DEFAULT, "cudaLaunchKernel") != nullptr);
  int x = 0, *p = &x;
  one<<<1, 1>>>(&x);
  CHECK(x == 1);
  void *args[] = {&p};
  x = 0;
  CHECK_CUDA(cudaLaunchKernel(one, 1, 1, args));
  CHECK(x == 1);
  CHECK_CUDA(cudaMalloc(&p, 4));
  CHECK_CUDA(cudaFree(p));
}
