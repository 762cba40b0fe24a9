// Kernels for jax.vmap: what they are given, how their grids look, what they have in common with other launches.
#include <kernix/kernix.h>

[[kernix::bind, kernix::differentiable]] __global__ void
scale(const float *x, const float *w, [[kernix::shape("x")]] float *y, [[kernix::value("x.numel()")]] int n, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * w[0] * x[i] * x[i];
}

// The grid goes on in y and z.
[[kernix::bind, kernix::block(32), kernix::grid("1", "x.size(1)", "x.size(0)"), kernix::differentiable]] __global__ void
planes(kernix::TensorView<const float> x, [[kernix::shape("x")]] kernix::TensorView<float> y) {
  int k = threadIdx.x, j = blockIdx.y, i = blockIdx.z;
  if (k < x.size(2))
    y(i, j, k) = sinf(x(i, j, k)) * (i + 1) + gridDim.z;
}

// Added to, and summed over blocks and lanes.
[[kernix::bind, kernix::block(256), kernix::grid("ceil_div(x.numel(), 256)"), kernix::differentiable]] __global__ void
total(const float *x, [[kernix::shape("1")]] float *sum, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i] * x[i]);
}
[[kernix::bind, kernix::block(64), kernix::grid("ceil_div(x.numel(), 64)"), kernix::differentiable]] __global__ void
reversed(const float *x, [[kernix::shape("x")]] float *y, [[kernix::value("x.numel()")]] int n) {
  __shared__ float tile[64];
  int base = blockIdx.x * 64, i = base + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0.f;
  __syncthreads();
  if (i < n)
    y[i] = tile[63 - threadIdx.x] * 2;
}

// Large dynamic shared memory.
[[kernix::bind, kernix::block(128), kernix::grid(1), kernix::shared_bytes(65536)]] __global__ void
far(const float *x, [[kernix::shape("128")]] float *y) {
  extern __shared__ float memory[];
  memory[threadIdx.x * 128] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = memory[(127 - threadIdx.x) * 128];
}

[[kernix::bind]] __global__ void vectors(const float4 *x, [[kernix::shape("x")]] float4 *y,
                                         [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = make_float4(x[i].w, x[i].z, x[i].y, x[i].x);
}

[[kernix::bind]] __global__ void accumulate([[kernix::intent(inout_ptr)]] float *y, const float *x,
                                            [[kernix::value("y.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += x[i];
}

[[kernix::bind]] __global__ void maybe(const float *x, [[kernix::optional]] const float *bias,
                                       [[kernix::shape("x")]] float *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + (bias ? bias[i] : 1.f);
}

// Launched for each element: the variable belongs to the module.
__device__ int calls;
[[kernix::bind]] __global__ void counts(const float *x, [[kernix::shape("x")]] float *y,
                                        [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    atomicAdd(&calls, 1);
  if (i < n)
    y[i] = x[i] + 1;
}
[[kernix::bind]] int number_of_calls() {
  int found = -1;
  cudaMemcpyFromSymbol(&found, calls, sizeof found);
  return found;
}

template <class T>
[[kernix::bind, kernix::instantiate("float", "int32")]] __global__ void twice(const T *x, [[kernix::shape("x")]] T *y,
                                                                              [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i];
}
