// What a kernel prints is out when the launch returns, whole lines at a time, the threads of a block in order.
// RUN: %cpu-cc-all %t -I%inputs %s
// RUN: timeout 100 %t.O0 > %t.0 && FileCheck --input-file %t.0 %s
// RUN: timeout 100 %t.O3 > %t.3 && FileCheck --input-file %t.3 %s
#include "check.h"
#include <unistd.h>

__global__ void lines(const char *what) {
  printf("%s %d of %d: %.1f\n", what, threadIdx.x, blockDim.x, threadIdx.x * 0.5);
}
__global__ void around_barrier() {
  printf("before %d\n", threadIdx.x);
  __syncthreads();
  printf("after %d\n", threadIdx.x);
}

// CHECK: plain 0 of 3: 0.0
// CHECK-NEXT: plain 1 of 3: 0.5
// CHECK-NEXT: plain 2 of 3: 1.0
// CHECK-NEXT: written at once
// CHECK-NEXT: before 0
// CHECK-NEXT: before 1
// CHECK-NEXT: after {{[01]}}
// CHECK-NEXT: after {{[01]}}
// CHECK-NOT: {{.}}
int main() {
  lines<<<1, 3>>>("plain");
  CHECK(write(1, "written at once\n", 16) == 16);
  around_barrier<<<1, 2>>>();
  CHECK_CUDA(cudaDeviceSynchronize());
  _exit(0); // nothing is left in a buffer
}
