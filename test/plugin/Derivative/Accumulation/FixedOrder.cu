// What a deterministic build refuses, at the access that stands in the way.
// RUN: not %cpu-device -O1 -fplugin-arg-kernix-deterministic -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %cpu-device -O1 -fplugin-arg-kernix-deterministic -c %s -o /dev/null 2>&1 | grep -c error: | FileCheck --check-prefix=COUNT %s
// RUN: %cpu-device -O1 -c %s -o /dev/null
// COUNT: 6
// clang-format off
#include <kernix/kernix.h>

// Every thread has elements of its own.
[[kernix::bind, kernix::differentiable]]
__global__ void map(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void gather(const float *x, const int *at, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2 * x[at[i]];
  // CHECK: FixedOrder.cu:[[#@LINE-1]]:16: error: cannot differentiate 'gather': threads may add to one element of the gradient of 'x': the index is read from memory; a deterministic build adds in a fixed order
}

// CHECK: FixedOrder.cu:[[#@LINE+1]]:3: error: cannot differentiate 'scaled': the gradient of 'a' is a sum over all threads; a deterministic build adds in a fixed order; mark it {{.*}}kernix::no_diff{{.*}}, or give each thread an element of a tensor
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void scaled(const float *x, [[kernix::diff]] float a, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i];
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void tiles(const float *x, float *y) {
  __shared__ float tile[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = 2 * tile[31 - threadIdx.x];
  // CHECK: FixedOrder.cu:[[#@LINE-1]]:14: error: cannot differentiate 'tiles': several threads may add to one adjoint of the shared 'tile'; a deterministic build adds in a fixed order
}

[[kernix::bind, kernix::differentiable]]
__global__ void histogram(const float *x, const int *at, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&y[at[i]], x[i] * x[i]);
  // CHECK: FixedOrder.cu:[[#@LINE-1]]:5: error: cannot differentiate 'histogram': tangents are added by atomic operations here; a deterministic build adds in a fixed order
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void marked([[kernix::diff(warp)]] const float *w, [[kernix::diff(atomic)]] const float *v, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[0] *
  // CHECK-DAG: FixedOrder.cu:[[#@LINE-1]]:12: error: cannot differentiate 'marked': {{.*}}kernix::diff(warp){{.*}} of 'w' adds for each warp; a deterministic build adds in a fixed order
           v[i];
  // CHECK-DAG: FixedOrder.cu:[[#@LINE-1]]:12: error: cannot differentiate 'marked': threads may add to one element of the gradient of 'v': the source says so; a deterministic build adds in a fixed order
}
