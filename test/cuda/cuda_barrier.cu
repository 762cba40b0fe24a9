// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <cuda/barrier>
#include <cuda/std/utility>

// CHECK: .entry {{.*}}two_phases
// CHECK: mbarrier
__global__ void two_phases(int *x) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) unsigned char storage[sizeof(Barrier)];
  auto *barrier = reinterpret_cast<Barrier *>(storage);
  if (threadIdx.x == 0)
    init(barrier, blockDim.x);
  __syncthreads();
  x[threadIdx.x] += 1;
  barrier->arrive_and_wait();
  x[threadIdx.x] += x[threadIdx.x ^ 1];
}
