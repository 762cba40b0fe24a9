// How gradients are added to: what is proven for one shape of launch has to fall back to atomics in another.
#include <kernix/kernix.h>

/// x is told apart by the ids in x alone, and may be launched with others.
[[kernix::bind, kernix::differentiable]]
__global__ void squares(const float *x, float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i] * x[i]);
}

/// Proven for blocks of at most 64 threads.
[[kernix::bind, kernix::differentiable]]
__global__ void by_64(const float *x, float *sum, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i] * x[i]);
}

/// Proven if rows are as long as the grid is wide.
[[kernix::bind, kernix::differentiable]]
__global__ void unguarded(const float *x, float *sum, int width, int n) {
  int i = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i] * x[i]);
}

[[kernix::bind, kernix::differentiable]]
__global__ void product(const float *a, const float *b, [[kernix::shape("a")]] float *y,
                        [[kernix::value("a.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a[i] * b[i];
}

[[kernix::bind, kernix::differentiable]]
__global__ void assigned_product([[kernix::diff(once)]] const float *a, const float *b, [[kernix::shape("a")]] float *y,
                                 [[kernix::value("a.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a[i] * b[i];
}

/// All threads read one element of w in each round, and one scalar.
[[kernix::bind, kernix::differentiable]]
__global__ void weights(const float *x, const float *w, [[kernix::diff]] float scale,
                        [[kernix::shape("x.size(0)")]] float *y, [[kernix::value("x.size(0)")]] int n,
                        [[kernix::value("w.size(0)")]] int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < m; ++k)
    sum += w[k] * x[i * m + k];
  y[i] = scale * sum + w[0];
}

/// Rows of four floats, each read by many threads.
[[kernix::bind, kernix::differentiable]]
__global__ void gathered_vectors(const float4 *x, const int *at, [[kernix::shape("at")]] float *y,
                                 [[kernix::value("at.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = x[at[i]];
  y[i] = v.x + 2 * v.y + 3 * v.z + 4 * v.w;
}
