// Gradients of 16 bits to whose elements many numbers may be added may be given as floats: one of the launch facts
// has a bit for each parameter of f.
// REQUIRES: cuda
// RUN: %cpu-device -O2 -S -emit-llvm %s -o %t.cpu.ll
// RUN: FileCheck %s --check-prefix=FACTS --input-file=%t.cpu.ll
// RUN: %toolkit-device -O2 -S -emit-llvm %s -o %t.gpu.ll
// RUN: FileCheck %s --check-prefix=FACTS --input-file=%t.gpu.ll
// RUN: FileCheck %s --check-prefix=GPU --input-file=%t.gpu.ll
// RUN: %toolkit-device -O3 -S %s -o %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#include <kernix/kernix.h>

#define I static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)

// An element that is read from memory: by the float at the address before an odd one, or by the half as it lies.
// FACTS-DAG: %struct.kernix_launch_facts { {{.*}}, i32 25, i32 0, i32 1, i32 {{[-0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 0 }
// GPU-LABEL: define {{.*}}gathered_bwd
// GPU: atomicrmw fadd {{.*}}, float
// GPU: atomicrmw fadd {{.*}}, half
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void gathered(const _Float16 *w, const int *at, [[kernix::no_diff]] const _Float16 *x, _Float16 *y, int n) {
  if (I < n)
    y[I] = w[at[I]] * x[I];
}

// A register of a thread is a float in any case.
// FACTS-DAG: %struct.kernix_launch_facts { {{.*}}, i32 29, i32 1, i32 0, i32 {{[-0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 0 }
// GPU-LABEL: define {{.*}}one_thread_bwd
// GPU-NOT: atomicrmw fadd
// GPU: fadd {{.*}}float
// GPU: store half
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void one_thread(const _Float16 *w, [[kernix::no_diff]] const _Float16 *x, _Float16 *y, int n, int m) {
  if (I >= n)
    return;
  _Float16 sum = 0;
  for (int c = 0; c < m; ++c)
    sum += w[I] * x[I * m + c];
  y[I] = sum;
}

// The same elements in each iteration of the outer loop.
// FACTS-DAG: %struct.kernix_launch_facts { {{.*}}, i32 31, i32 0, i32 1, i32 {{[-0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 0 }
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void again(const __bf16 *w, __bf16 *y, int n, int m, int times) {
  if (I >= n)
    return;
  float sum = 0;
  for (int k = 0; k < times; ++k)
    for (int c = 0; c < m; ++c)
      sum += static_cast<float>(w[I * m + c]);
  y[I] = static_cast<__bf16>(sum);
}

// One or two additions to each element need no floats, and what the source says is taken for true.
// FACTS-DAG: %struct.kernix_launch_facts { {{.*}}, i32 26, i32 3, i32 0, i32 {{[-0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 0 }
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void few(const _Float16 *x, [[kernix::diff(once)]] const _Float16 *z, const int *at, _Float16 *y, int n) {
  if (I < n)
    y[I] = x[I] * x[I] + z[at[I]];
}

// Nor have floats any, nor what a kernel also writes.
// FACTS-DAG: %struct.kernix_launch_facts { {{.*}}, i32 13, i32 0, i32 0, i32 {{[-0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 0 }
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void wide(const float *w, const int *at, float *y, int n) {
  if (I < n)
    y[I] = w[at[I]];
}

// A parameter's gradient is one element for all threads.
// FACTS-DAG: %struct.kernix_launch_facts { {{.*}}, i32 13, i32 0, i32 1, i32 {{[-0-9]+}}, i32 {{[0-9]+}}, i32 0, i32 0 }
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void scalar([[kernix::diff]] _Float16 w, [[kernix::no_diff]] const _Float16 *x, _Float16 *y, int n) {
  if (I < n)
    y[I] = w * x[I];
}
