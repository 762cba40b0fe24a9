// Views that carry their gradients; expected values are torch's (test_diff_views.py).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

using kernix::DiffTensorViewAA;

// As the document that the type comes from has it.
[[kernix::bind, kernix::differentiable]] __global__ void sqr(DiffTensorViewAA<float> input,
                                                             DiffTensorViewAA<float> output) {
  uint3 i = kernix::global_index();
  if (i.x >= input.size(0))
    return;
  output[i.x] = input[i.x] * input[i.x];
}

// Every way to load. No two threads read an element by loadUniform, and each is read once by loadUniformOnce.
template <class T, class Index>
__device__ void all_loads(const DiffTensorViewAA<T> &x, const DiffTensorViewAA<T> &w, const DiffTensorViewAA<T> &u,
                          const DiffTensorViewAA<T> &once, const DiffTensorViewAA<T> &y, Index i, Index first) {
  T own = u.loadUniform(i), again = u.loadUniform(i);
  y.store(i, x.load(i) * w.loadFixed(first) + x.load(first) * own + again * again * once.loadUniformOnce(i));
}

#define ALL_LOADS(name, T)                                                                                             \
  [[kernix::bind("all_loads"), kernix::differentiable, kernix::block(8, 8)]] __global__ void name(                     \
      const DiffTensorViewAA<T> x, const DiffTensorViewAA<T> w, const DiffTensorViewAA<T> u,                           \
      const DiffTensorViewAA<T> once, [[kernix::shape("x")]] DiffTensorViewAA<T> y) {                                  \
    uint3 at = kernix::global_index();                                                                                 \
    if (at.x < x.size(0) && at.y < x.size(1))                                                                          \
      all_loads(x, w, u, once, y, uint2{at.x, at.y}, uint2{0, 1});                                                     \
  }
ALL_LOADS(all_loads_float, float)
ALL_LOADS(all_loads_double, double)
ALL_LOADS(all_loads_half, __half)
ALL_LOADS(all_loads_bfloat16, __nv_bfloat16)

/// A cast of `view[i]`, whose type is a class.
[[kernix::bind, kernix::differentiable]] __global__ void cast(const DiffTensorViewAA<__half> x,
                                                              const DiffTensorViewAA<__nv_bfloat16> w,
                                                              [[kernix::shape("x")]] DiffTensorViewAA<float> y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.size(0))
    y[i] = (float)x[i] * static_cast<float>(w[i]) + static_cast<float>((double)x[i]);
}

#define INDICES(name, T, ...)                                                                                          \
  [[kernix::bind, kernix::differentiable]] __global__ void name(const DiffTensorViewAA<double> x,                      \
                                                                DiffTensorViewAA<double> y) {                          \
    T i = __VA_ARGS__;                                                                                                 \
    y.store(i, sin(x[i]) * x.load(i));                                                                                 \
  }
/// More elements than threads.
[[kernix::bind, kernix::differentiable]] __global__ void in_strides(const DiffTensorViewAA<double> x,
                                                                    const DiffTensorViewAA<double> w,
                                                                    [[kernix::shape("x")]] DiffTensorViewAA<double> y,
                                                                    [[kernix::value("x.numel()")]] int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = x.loadUniform(i) * x.loadUniform(i) * w.loadFixed(0);
}

INDICES(by_int, int, static_cast<int>(threadIdx.x))
INDICES(by_unsigned, unsigned, threadIdx.x)
INDICES(by_int2, int2, make_int2(threadIdx.x, threadIdx.y))
INDICES(by_uint2, uint2, make_uint2(threadIdx.x, threadIdx.y))
INDICES(by_int3, int3, make_int3(threadIdx.x, threadIdx.y, threadIdx.z))
INDICES(by_uint3, uint3, threadIdx)
INDICES(by_int4, int4, make_int4(threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x))
INDICES(by_uint4, uint4, make_uint4(threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x))

[[kernix::bind, kernix::differentiable]] __global__ void
vectors(DiffTensorViewAA<float3> a, DiffTensorViewAA<float4> b, DiffTensorViewAA<float2> c,
        [[kernix::shape("a.size(0)")]] DiffTensorViewAA<float2> y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= a.size(0))
    return;
  float3 p = a[i];
  float4 q = b.loadUniform(i);
  float2 r = c.loadFixed(0);
  y[i] = make_float2(p.x * q.y * r.x + q.x, p.y * q.z + p.z * q.w * r.y);
}

__device__ double horner(const DiffTensorViewAA<double> &c, double v, int n) {
  double sum = 0;
  for (int k = n; k-- > 0;)
    sum = sum * v + c.load(k);
  return sum;
}

[[kernix::bind, kernix::differentiable]] __global__ void
in_loops(DiffTensorViewAA<double> x, DiffTensorViewAA<double> c,
         [[kernix::shape("x.size(0)")]] DiffTensorViewAA<double> y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= x.size(0))
    return;
  double sum = 0;
  for (int k = 0; k < x.size(1); ++k) {
    double v = x[make_int2(i, k)];
    if (v > 0)
      sum += sin(v * sum) + horner(c, v, static_cast<int>(c.size(0)));
    else
      sum -= v * v;
  }
  y[i] = sum;
}

// Beside tensors whose gradients are the compiler's, and what has none.
[[kernix::bind, kernix::differentiable]] __global__ void
mixed(DiffTensorViewAA<double> x, const double *w, const DiffTensorViewAA<int> index,
      [[kernix::no_diff]] const DiffTensorViewAA<double> k, [[kernix::diff]] double a,
      [[kernix::shape("index")]] double *y, [[kernix::value("index.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x.load(index.load(i)) * w[i] + k.load(i) * w[0];
}

// A view of the user's: bilinear interpolation, with a derivative of its own. The kernel takes it as it is.
struct Texture : kernix::DiffTensorView<double> {
  /// The part of texel (r, c) in the value at (u, v).
  static __device__ double weight(double u, double v, int r, int c) {
    return fmax(1 - fabs(u - c), 0.0) * fmax(1 - fabs(v - r), 0.0);
  }
  __device__ void sample_bwd(double u, double *gu, double v, double *gv, double g) const {
    int c = static_cast<int>(floor(u)), r = static_cast<int>(floor(v));
    double fu = u - c, fv = v - r;
    double a = primal(r, c), b = primal(r, c + 1), d = primal(r + 1, c), e = primal(r + 1, c + 1);
    *gu += g * ((1 - fv) * (b - a) + fv * (e - d));
    *gv += g * ((1 - fu) * (d - a) + fu * (e - b));
    if (!differential.data())
      return;
    for (int k = 0; k < 4; ++k)
      kernix::atomic_add(&differential(r + k / 2, c + k % 2), g * weight(u, v, r + k / 2, c + k % 2));
  }
  [[kernix::backward_derivative(&Texture::sample_bwd)]] __device__ double sample(double u, double v) const {
    int c = static_cast<int>(floor(u)), r = static_cast<int>(floor(v));
    double sum = 0;
    for (int k = 0; k < 4; ++k)
      sum += primal(r + k / 2, c + k % 2) * weight(u, v, r + k / 2, c + k % 2);
    return sum;
  }
};

[[kernix::bind, kernix::differentiable(backward)]] __global__ void
sampled(Texture image, DiffTensorViewAA<double> places, [[kernix::shape("places.size(0)")]] double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < places.size(0)) {
    double value = image.sample(places[make_int2(i, 0)], places[make_int2(i, 1)]);
    y[i] = value * value;
  }
}

// A backward kernel written by hand.
__global__ void cubes_bwd(DiffTensorViewAA<float> x, DiffTensorViewAA<float> y) {
  unsigned i = kernix::global_index().x;
  if (i < x.size(0) && x.differential.data())
    x.differential[i] += 3 * x.primal[i] * x.primal[i] * y.differential[i];
}
[[kernix::bind, kernix::backward_derivative(cubes_bwd)]] __global__ void
cubes(DiffTensorViewAA<float> x, [[kernix::shape("x")]] DiffTensorViewAA<float> y) {
  unsigned i = kernix::global_index().x;
  if (i < x.size(0))
    y[i] = x[i] * x[i] * x[i];
}

// Parameters of functions that are no kernels: a host function with a derivative that launches, and device functions.
__global__ void doubles_bwd_kernel(DiffTensorViewAA<double> x, DiffTensorViewAA<double> y) {
  unsigned i = kernix::global_index().x;
  if (i < x.size(0))
    x.differential[i] += 2 * y.differential[i];
}
void doubles_bwd(DiffTensorViewAA<double> x, DiffTensorViewAA<double> y, kernix::Stream stream) {
  if (x.differential.data())
    doubles_bwd_kernel<<<static_cast<unsigned>(x.size(0) + 31) / 32, 32, 0, stream>>>(x, y);
}
__global__ void doubles_kernel(DiffTensorViewAA<double> x, DiffTensorViewAA<double> y) {
  unsigned i = kernix::global_index().x;
  if (i < x.size(0))
    y[i] = 2 * x[i];
}
[[kernix::bind, kernix::backward_derivative(doubles_bwd)]] void
doubles(DiffTensorViewAA<double> x, [[kernix::shape("x")]] DiffTensorViewAA<double> y, kernix::Stream stream) {
  doubles_kernel<<<static_cast<unsigned>(x.size(0) + 31) / 32, 32, 0, stream>>>(x, y);
}
[[kernix::bind]] double first_of(const DiffTensorViewAA<double> &x) { return x.primal(0); }

[[kernix::bind, kernix::differentiable]] __device__ double neighbours(const DiffTensorViewAA<double> x, int i) {
  return x[i] * x.loadFixed(i + 1);
}
[[kernix::bind, kernix::differentiable]] __device__ void put_square(const DiffTensorViewAA<double> &x,
                                                                    DiffTensorViewAA<double> y, int i) {
  y[i] = x[i] * x.loadUniform(i);
}
// With a rule that is no member, called in a kernel and by bwd_diff.
__device__ void scaled_bwd(const DiffTensorViewAA<double> &x, double a, double *ga, int i, double g) {
  *ga += g * x.primal(i);
  if (x.differential.data())
    kernix::atomic_add(&x.differential(i), g * a);
}
[[kernix::backward_derivative(scaled_bwd)]] __device__ double scaled(const DiffTensorViewAA<double> &x, double a,
                                                                     int i) {
  return a * x.primal(i);
}
[[kernix::bind, kernix::differentiable(backward)]] __global__ void with_rule(const DiffTensorViewAA<double> x,
                                                                             const double *a,
                                                                             [[kernix::shape("x")]] double *y,
                                                                             [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = scaled(x, a[0], i);
}
__device__ double cubed(DiffTensorViewAA<double> x, int i) { return x[i] * x[i] * x[i]; }
[[kernix::bind]] __global__ void slopes(const kernix::TensorView<double> x, kernix::TensorView<double> gradient) {
  unsigned i = kernix::global_index().x;
  DiffTensorViewAA<double> both;
  both.primal = x;
  both.differential = gradient;
  if (i < x.size(0))
    kernix::bwd_diff<cubed>(both, static_cast<int>(i), 1.0);
}
// Rows of eight that the block stores one after the other, a barrier between them.
[[kernix::bind, kernix::differentiable(backward)]] __global__ void rows_in_turn(const DiffTensorViewAA<double> x,
                                                                                DiffTensorViewAA<double> y, int rows) {
  for (int row = 0; row < rows; ++row) {
    y.store(8 * row + threadIdx.x, (row + 1) * x[threadIdx.x]);
    __syncthreads();
  }
}
// The rows of a view as one, in steps of the grid.
[[kernix::bind, kernix::differentiable]] __global__ void rows_as_one(const DiffTensorViewAA<double> x,
                                                                     DiffTensorViewAA<double> y, int start, int end) {
  int width = x.size(1);
  for (int t = start + blockIdx.x * blockDim.x + threadIdx.x; t < end; t += gridDim.x * blockDim.x)
    y[make_int2(t % width, t / width)] = x[make_int2(t / width, t % width)] * x[make_int2(0, 0)];
}
[[kernix::bind, kernix::differentiable]] __global__ void in_steps(const DiffTensorViewAA<double> x,
                                                                  DiffTensorViewAA<double> y, int count, int step) {
  for (int k = 0; k < count; ++k)
    y[k * step] = x[k * step] * x[k * step];
}
