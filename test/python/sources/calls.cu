// Functions for test_call.py and its neighbours: one per way of taking arguments.
#include <cuda_bf16.h>
#include <kernix/kernix.h>

#define GLOBAL_INDEX static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)

/// Adds two vectors.
[[kernix::bind]]
__global__ void add(const float *x, const float *y, float *z, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    z[i] = x[i] + y[i];
}

[[kernix::bind]]
__global__ void scale_shift(const float *__restrict__ x, [[kernix::intent(out_return), kernix::shape("x")]] float *y,
                            float a, float b, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = a * x[i] + b;
}

// An output with a shape and no intent: NumPy's out=.
[[kernix::bind]]
__global__ void twice(const float *x, [[kernix::shape("x")]] float *out, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    out[i] = 2 * x[i];
}

[[kernix::bind]]
__global__ void weighted(const float *x, [[kernix::optional]] const float *weight,
                         [[kernix::intent(out_return), kernix::shape("x")]] float *out,
                         [[kernix::value("x.numel()")]] int n, float factor) {
  int i = GLOBAL_INDEX;
  if (i < n)
    out[i] = factor * x[i] * (weight ? weight[i] : 1.0f);
}

[[kernix::bind]]
__global__ void increment([[kernix::intent(inout_ptr)]] float *x, [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    x[i] += 1;
}

// Sums with atomics: the output is allocated zeroed.
[[kernix::bind, kernix::grid("ceil_div(n, block.x)"), kernix::block(256)]]
__global__ void total(const float *x, [[kernix::intent(out_return), kernix::shape("1")]] float *sum,
                      [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    atomicAdd(sum, x[i]);
}

[[kernix::bind]]
__global__ void both(const float *x, [[kernix::intent(out_return), kernix::shape("x")]] float *plus,
                     [[kernix::intent(out_return), kernix::shape("n", "2")]] int *pair,
                     [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n) {
    plus[i] = x[i] + 1;
    pair[2 * i] = i;
    pair[2 * i + 1] = -i;
  }
}

// Strided access through views.
[[kernix::bind]]
__global__ void
transpose(kernix::TensorView<const float> x,
          [[kernix::shape("x.size(1)", "x.size(0)"), kernix::intent(out_return)]] kernix::TensorView<float> y) {
  for (int i = 0; i < x.size(0); ++i)
    for (int j = 0; j < x.size(1); ++j)
      y(j, i) = x(i, j);
}

// Records the launch geometry.
[[kernix::bind, kernix::grid("1"), kernix::block(256)]]
__global__ void geometry([[kernix::intent(out_return), kernix::shape("7")]] int *sizes) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z == 0) {
    sizes[0] = blockDim.x;
    sizes[1] = blockDim.y;
    sizes[2] = blockDim.z;
    sizes[3] = gridDim.x;
    sizes[4] = gridDim.y;
    sizes[5] = gridDim.z;
    sizes[6] = 1;
  }
}

// Uses y and has no attributes: no default launch.
[[kernix::bind]]
__global__ void planar([[kernix::intent(out_return), kernix::shape("4")]] int *out) {
  out[threadIdx.y * blockDim.x + threadIdx.x] = threadIdx.y;
}

// Parameters with the names of launch keywords.
[[kernix::bind]]
__global__ void named(int block, int grid, [[kernix::intent(out_return), kernix::shape("4")]] int *out) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    out[0] = block;
    out[1] = grid;
    out[2] = blockDim.x;
    out[3] = gridDim.x;
  }
}

[[kernix::bind]]
__global__ void doubles(const double *x, [[kernix::intent(out_return), kernix::shape("x")]] double *y,
                        [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = 2 * x[i];
}

[[kernix::bind]]
__global__ void bfloats(const __nv_bfloat16 *x, [[kernix::intent(out_return), kernix::shape("x")]] __nv_bfloat16 *y,
                        [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = __float2bfloat16(2.0f * __bfloat162float(x[i]));
}

[[kernix::bind]]
__global__ void points(const float4 *x, [[kernix::intent(out_return), kernix::shape("x.size(0)")]] float *y,
                       [[kernix::value("x.size(0)")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = x[i].x + x[i].y + x[i].z + x[i].w;
}

// Variants by dtype.
template <class T>
[[kernix::bind, kernix::instantiate("float", "double", "int")]]
__global__ void negate(const T *x, [[kernix::intent(out_return), kernix::shape("x")]] T *y,
                       [[kernix::value("x.numel()")]] int n) {
  int i = GLOBAL_INDEX;
  if (i < n)
    y[i] = -x[i];
}
