// RUN: %cuda-check
// RUN: FileCheck --input-file %t.sm_90.ptx %s
#include <cuda/atomic>

// CHECK: .entry {{.*}}count
// CHECK: atom
__global__ void count(int *total) {
  cuda::atomic_ref<int, cuda::thread_scope_device> shared(*total);
  shared.fetch_add(1, cuda::std::memory_order_relaxed);
}
