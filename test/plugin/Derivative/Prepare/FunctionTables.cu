// Functions in constant tables, called by their places there.
// REQUIRES: cpu
// RUN: %cpu-device -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %cpu-device -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=REFUSED --implicit-check-not=error: %s
#include <kernix/kernix.h>

using Activation = float (*)(float);
__device__ float relu(float v) { return v > 0 ? v : 0; }
__device__ float square(float v) { return v * v; }
__device__ float wave(float v) { return sinf(v); }
__device__ const Activation table[] = {relu, square, wave};

#ifndef REFUSED
// CHECK-DAG: define {{.*}}by_argument_bwd
[[kernix::bind, kernix::differentiable]]
__global__ void by_argument(const float *x, float *y, int which, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = table[which](x[i]);
}

// CHECK-DAG: define {{.*}}of_a_local_table_bwd
[[kernix::bind, kernix::differentiable]]
__global__ void of_a_local_table(const float *x, float *y, const int *which, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float (*const own[])(float) = {wave, square, wave, relu};
  if (i < n)
    y[i] = own[which[i]](x[i]) * own[3](x[i]);
}

// CHECK-DAG: define {{.*}}beside_numbers_bwd
struct Layer {
  float scale;
  Activation apply;
};
__device__ const Layer layers[] = {{1, relu}, {2, square}, {3, wave}};
[[kernix::bind, kernix::differentiable]]
__global__ void beside_numbers(const float *x, float *y, int n, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  for (int d = 0; d < depth; ++d)
    v = layers[d % 3].scale * layers[d % 3].apply(v);
  y[i] = v;
}

// Whether there is a function is asked of the table itself.
__device__ const Activation sparse[3][2] = {{relu, nullptr}, {nullptr, square}, {wave, square}};
// CHECK-DAG: define {{.*}}where_there_is_one_bwd
// CHECK: load ptr, ptr {{.*}}
// CHECK-NEXT: icmp eq ptr {{.*}}, null
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void where_there_is_one(const float *x, float *y, const int *which, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Activation f = sparse[which[2 * i]][which[2 * i + 1]];
  y[i] = f ? f(x[i]) : x[i];
}
#else
// A table that can be changed.
__device__ Activation current[] = {relu, square};
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void of_a_variable(const float *x, float *y, int which, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // REFUSED: :[[#@LINE+1]]:{{.*}}error: cannot differentiate 'of_a_variable': it calls through a pointer that is not known at compile time
    y[i] = current[which](x[i]);
}
#endif
