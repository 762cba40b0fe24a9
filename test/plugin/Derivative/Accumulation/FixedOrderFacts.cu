// Whether threads decide the order of sums, a build says in two of the launch facts of f_bwd. The first has bit 30 where
// they do not in launches that are usual, with a bit for each parameter of f that must be usual for that; bit 31 where they
// never do. The other has a bit for each parameter of f of whose gradient they do, and the first says nothing.
// RUN: %cpu-device -O2 -S -emit-llvm %s -o - | grep -o 'kernix_launch_facts {.*}' | FileCheck %s
// RUN: %cpu-device -O0 -S -emit-llvm %s -o - | grep -o 'kernix_launch_facts {.*}' | FileCheck %s
// RUN: %cpu-device -O2 -S -emit-llvm -fplugin-arg-kernix-deterministic -DDETERMINISTIC %s -o - | \
// RUN:   grep -o 'kernix_launch_facts {.*}' | FileCheck %s --check-prefix=BUILD
#include <kernix/kernix.h>

#define INDEX static_cast<int>(blockIdx.x *blockDim.x + threadIdx.x)
#define BOUND [[kernix::bind, kernix::differentiable(backward)]] __global__ void

// BUILD-COUNT-5: i32 -2147483648, i32 0, i32 0, i32 0 }
// BUILD-NOT: kernix_launch_facts

// Nothing is assumed but the launch.
// CHECK-DAG: i32 9, i32 9, i32 1, i32 6, i32 1, i32 0, i32 1073741824, i32 0, i32 0, i32 0 }
BOUND square(const float *x, float *y, int n) {
  if (INDEX < n)
    y[INDEX] = x[INDEX] * x[INDEX];
}

// The width must not be negative.
// CHECK-DAG: i32 27, i32 27, i32 1, i32 14, i32 1, i32 0, i32 1073741832, i32 0, i32 0, i32 0 }
BOUND rows(const float *x, float *y, int n, int m) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && INDEX < m)
    y[i * m + INDEX] = x[i * m + INDEX] * x[i * m + INDEX];
}

// CHECK-DAG: i32 9, i32 9, i32 1, i32 6, i32 1, i32 0, i32 1073741824, i32 0, i32 0, i32 0 }
BOUND strided(const float *x, float *y, int n) {
  for (int i = INDEX; i < n; i += static_cast<int>(gridDim.x * blockDim.x))
    y[i] = x[i] * x[i];
}

// That no two elements of a gradient have one address is checked by each call.
// CHECK-DAG: i32 9, i32 9, i32 1, i32 2, i32 1, i32 0, i32 1073741824, i32 0, i32 0, i32 0 }
BOUND view(kernix::TensorView<const float> x, kernix::TensorView<float> y) {
  if (INDEX < x.size(0))
    y(INDEX) = x(INDEX) * x(INDEX);
}

// No thread adds to what another one adds to: the source says so.
// CHECK-DAG: i32 9, i32 0, i32 1, i32 13, i32 1, i32 0, i32 -2147483648, i32 0, i32 0, i32 0 }
BOUND unique([[kernix::diff(unique)]] const float *x, const int *at, float *y, int n) {
  if (INDEX < n)
    y[INDEX] = x[at[INDEX]];
}

#if !defined(DETERMINISTIC)
// CHECK-DAG: i32 9, i32 0, i32 1, i32 13, i32 0, i32 0, i32 -2147483648, i32 1, i32 0, i32 0 }
BOUND gather(const float *x, const int *at, float *y, int n) {
  if (INDEX < n)
    y[INDEX] = x[at[INDEX]];
}

// CHECK-DAG: i32 9, i32 9, i32 1, i32 14, i32 1, i32 0, i32 1073741824, i32 2, i32 0, i32 0 }
BOUND scaled(const float *x, [[kernix::diff]] float a, float *y, int n) {
  if (INDEX < n)
    y[INDEX] = a * x[INDEX];
}

// Each element is read by many threads.
// CHECK-DAG: i32 27, i32 0, i32 1, i32 12, i32 0, i32 0, i32 -2147483648, i32 3, i32 0, i32 0 }
BOUND outer(const float *x, const float *z, float *y, int n) {
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  y[j * n + INDEX] = x[INDEX] * z[j];
}

__device__ float total;
__device__ void rule(float x, float *gx, float gout) {
  *gx += gout;
  atomicAdd(&total, gout);
}
[[kernix::backward_derivative(rule)]] __device__ float same(float x) { return x; }
// What a rule does by atomic operations, it does in any order.
// CHECK-DAG: i32 9, i32 9, i32 1, i32 6, i32 1, i32 0, i32 0, i32 0, i32 0, i32 0 }
BOUND by_rule(const float *x, float *y, int n) {
  if (INDEX < n)
    y[INDEX] = same(x[INDEX]);
}
#endif
