// What a deterministic build refuses, at the access that stands in the way.
// RUN: not %cpu-device -O1 -fplugin-arg-kernix-deterministic -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %cpu-device -O1 -fplugin-arg-kernix-deterministic -c %s -o /dev/null 2>&1 | grep -c error: | FileCheck --check-prefix=COUNT %s
// RUN: %cpu-device -O1 -c %s -o /dev/null
// COUNT: 11
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

// Derivatives that the source has written, with what they call.
__device__ void add(float *place, float value) { atomicAdd(place, value); }
__device__ void read_bwd(const float *w, float *gw, int k, float g) { add(gw + k, g); }
__device__ kernix::Dual<float> read_fwd(const float *w, const float *dw, int k);
[[kernix::backward_derivative(read_bwd), kernix::forward_derivative(read_fwd)]] __device__ float read(const float *w, int k);

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void by_rule(const float *w, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = read(w, i % 3);
  // CHECK-DAG: FixedOrder.cu:[[#@LINE-1]]:12: error: cannot differentiate 'by_rule': the derivative of 'read' adds by atomic operations; a deterministic build adds in a fixed order; let it add plainly where no two threads meet
}
[[kernix::bind, kernix::differentiable(forward)]]
__global__ void by_hidden_rule(const float *w, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = read(w, i % 3);
  // CHECK-DAG: FixedOrder.cu:[[#@LINE-1]]:12: error: cannot differentiate 'by_hidden_rule': how the derivative of 'read' adds is not known, since its body is not visible; a deterministic build adds in a fixed order
}

__device__ float logged;
__device__ kernix::Dual<float> twice_fwd(float x, float dx) {
  atomicAdd(&logged, dx);
  return {2 * x, 2 * dx};
}
[[kernix::forward_derivative(twice_fwd)]] __device__ float twice(float x) { return 2 * x; }
[[kernix::bind, kernix::differentiable(forward)]]
__global__ void by_forward_rule(const float *x, float *y) {
  y[threadIdx.x] = twice(x[threadIdx.x]);
  // CHECK-DAG: FixedOrder.cu:[[#@LINE-1]]:20: error: cannot differentiate 'by_forward_rule': the derivative of 'twice' adds by atomic operations
}

// Integers have one sum.
__device__ int calls;
__device__ void counted_bwd(float x, float *gx, float g) {
  *gx += g;
  atomicAdd(&calls, 1);
}
[[kernix::backward_derivative(counted_bwd)]] __device__ float counted(float x) { return x; }
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void by_counting_rule(const float *x, float *y) { y[threadIdx.x] = counted(x[threadIdx.x]); }

// A sum of constants that the derivative would make in another order.
[[kernix::bind, kernix::differentiable]]
__global__ void weighted([[kernix::no_diff]] const float *c, const float *x, float *y) {
  __shared__ float sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, c[threadIdx.x]);
  // CHECK-DAG: FixedOrder.cu:[[#@LINE-1]]:3: error: cannot differentiate 'weighted': tangents may depend on this sum of atomic additions; a deterministic build adds in a fixed order
  // CHECK-DAG: FixedOrder.cu:[[#@LINE-2]]:3: error: cannot differentiate 'weighted': the backward makes this sum of atomic additions again, and needs it; a deterministic build adds in a fixed order
  __syncthreads();
  y[threadIdx.x] = sum * x[threadIdx.x];
}
