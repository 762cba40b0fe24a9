// How each gradient is added to, at the place of the access that decided it.
// RUN: %cpu-device -O1 -Rpass=kernix -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %cpu-device -O1 -c %s -o /dev/null 2>&1 | FileCheck --allow-empty --check-prefix=SILENT %s
// SILENT-NOT: remark
// No value is called as LLVM numbers it.
// RUN: %cpu-device -O1 -Rpass=kernix -c %s -o /dev/null 2>&1 | not grep -E 'remark: .*%%[0-9]'
// clang-format off
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void ways(const float *x, const float *w, const int *at, [[kernix::diff(atomic)]] const float *v, float *y,
                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = x[i];
  // CHECK-DAG: Remarks.cu:[[#@LINE-1]]:15: remark: derivative of 'ways': gradient of 'x': added without atomic operations where {{.*}}0 <= -gridDim.y + 1{{.*}} [-Rpass=kernix]
  sum *= w[at[i]];
  // CHECK-DAG: Remarks.cu:[[#@LINE-1]]:10: remark: derivative of 'ways': gradient of 'w': added by atomic operations: the index is read from memory [-Rpass=kernix]
  sum *= v[i];
  // CHECK-DAG: Remarks.cu:[[#@LINE-1]]:10: remark: derivative of 'ways': gradient of 'v': added by atomic operations: the source says so [-Rpass=kernix]
  y[i] = sum;
}

[[kernix::bind, kernix::differentiable(backward)]]
__global__ void neighbours(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    y[i] = x[i - 1] * x[i + 1];
  // CHECK-DAG: Remarks.cu:[[#@LINE-1]]:{{[0-9]+}}: remark: derivative of 'neighbours': gradient of 'x': added by atomic operations: threads of different threadIdx.x may add to one element [-Rpass=kernix]
}

__device__ void first_bwd(const float *c, float *c_grad, float x, float *x_grad, float d) {
  if (c_grad)
    atomicAdd(c_grad, d * x);
  *x_grad += d * c[0];
}
[[kernix::backward_derivative(first_bwd)]] __device__ float first(const float *c, float x) { return c[0] * x; }
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void given(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * first(x + i, 2.0f);
  // CHECK-DAG: Remarks.cu:[[#@LINE-1]]:12: remark: derivative of 'given': gradient of 'x': added by atomic operations: its address is given to a function that has a derivative of its own [-Rpass=kernix]
}

// Told apart by no id: whoever launches more blocks than one gets the other version.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void alone(const float *x, float *y, [[kernix::diff(unique)]] const float *v) {
  y[0] = x[0] * x[1];
  // CHECK-DAG: Remarks.cu:[[#@LINE-1]]:{{[0-9]+}}: remark: derivative of 'alone': gradient of 'x': added without atomic operations where {{.*}}0 <= -blockDim.x + 1{{.*}} [-Rpass=kernix]
  y[1] = v[0];
  // CHECK-DAG: remark: derivative of 'alone': gradient of 'v': added without atomic operations: the source says so [-Rpass=kernix]
}

// Parameters have their names. A sum over the launch is one whatever reads it.
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void rows(const float *x, [[kernix::diff]] float a, float *y, int height, int width) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < height && c < width)
    y[r * width + c] = a * x[r * width + c];
  // CHECK-DAG: remark: derivative of 'rows': gradient of 'x': added without atomic operations where {{.*}}0 <= width{{.*}} [-Rpass=kernix]
  // CHECK-DAG: remark: derivative of 'rows': gradient of 'a': a sum over all threads [-Rpass=kernix]
}
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void sized(const float *x, kernix::TensorView<const int> like, float *y) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  int width = like.size(1);
  if (c < width)
    y[r * width + c] = x[r * width + c] * x[r * width + c];
  // CHECK-DAG: remark: derivative of 'sized': gradient of 'x': added without atomic operations where {{.*}}, and conditions of values without a name in the source hold [-Rpass=kernix]
}
