// Views whose gradients are brought together behind the backward kernel; expected values are torch's.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>
#include <stdexcept>

using kernix::DiffTensorViewAA;
using kernix::DiffTensorViewASR;
using kernix::DiffTensorViewR;

// Few elements that all threads read, by an index that is data, in a loop; more reads than a thread has notes for.
#define BLEND(name, ...)                                                                                               \
  [[kernix::bind("blend_" #name), kernix::differentiable]] __global__ void blend_##name(                               \
      __VA_ARGS__ table, const DiffTensorViewAA<int> index, DiffTensorViewAA<double> x,                                \
      [[kernix::shape("x")]] DiffTensorViewAA<double> y) {                                                             \
    unsigned i = kernix::global_index().x;                                                                             \
    if (i >= x.size(0))                                                                                                \
      return;                                                                                                          \
    double sum = 0;                                                                                                    \
    for (int k = 0; k < index.load(i); ++k)                                                                            \
      sum += static_cast<double>(table.load(k % 3)) * sin(x.loadUniform(i) + k);                                       \
    y[i] = sum * static_cast<double>(table.load(0));                                                                   \
  }
BLEND(r1, DiffTensorViewR<double, 1>)
BLEND(r3, DiffTensorViewR<double, 3>)
BLEND(r32, DiffTensorViewR<double, 32>)
BLEND(asr1, DiffTensorViewASR<double, 1>)
BLEND(asr4, DiffTensorViewASR<double, 4>)
BLEND(asr16, DiffTensorViewASR<double, 16>)
BLEND(rfloat, DiffTensorViewR<float, 8>)
BLEND(rhalf, DiffTensorViewR<__half, 8>)
BLEND(rbfloat, DiffTensorViewR<__nv_bfloat16, 8>)
BLEND(asrfloat, DiffTensorViewASR<float, 8>)
BLEND(asrhalf, DiffTensorViewASR<__half, 8>)
BLEND(asrbfloat, DiffTensorViewASR<__nv_bfloat16, 8>)

// Every index type, of views with as many axes; strides are the gradient's own.
#define INDICES(name, T, ...)                                                                                          \
  [[kernix::bind, kernix::differentiable]] __global__ void name(                                                       \
      DiffTensorViewR<double, 4> r, DiffTensorViewASR<double, 4> s, DiffTensorViewAA<double> y) {                      \
    T i = __VA_ARGS__;                                                                                                 \
    y[i] = sin(r[i]) * s.load(i) + r.load(T{}) * s[T{}];                                                               \
  }
INDICES(by_int, int, static_cast<int>(threadIdx.x))
INDICES(by_unsigned, unsigned, threadIdx.x)
INDICES(by_int2, int2, make_int2(threadIdx.x, threadIdx.y))
INDICES(by_uint2, uint2, make_uint2(threadIdx.x, threadIdx.y))
INDICES(by_int3, int3, make_int3(threadIdx.x, threadIdx.y, threadIdx.z))
INDICES(by_uint3, uint3, make_uint3(threadIdx.x, threadIdx.y, threadIdx.z))
INDICES(by_int4, int4, make_int4(threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x))
INDICES(by_uint4, uint4, make_uint4(threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x))

[[kernix::bind, kernix::differentiable]] __global__ void
vectors(DiffTensorViewR<float3, 4> a, DiffTensorViewASR<float4, 2> b, DiffTensorViewR<float2, 2> c,
        [[kernix::value("b.size(0)")]] int n, [[kernix::shape("n")]] DiffTensorViewAA<float2> y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float3 p = a[i % 2];
  float4 q = b.load(i);
  float2 r = c.load(0);
  y[i] = make_float2(p.x * q.y * r.x + q.x, p.y * q.z + p.z * q.w * r.y);
}

// Through helper functions, by reference, value and pointer, in templates and lambdas.
template <class View> __device__ double first(const View &v) { return v.load(0); }
template <class View> __device__ double at(View v, int i) { return v[i]; }
template <class View> __device__ double behind(const View *v, int i) { return v->load(i); }
[[kernix::bind, kernix::differentiable]] __global__ void passed(const DiffTensorViewR<double, 8> r,
                                                                const DiffTensorViewASR<double, 8> s,
                                                                [[kernix::shape("s")]] DiffTensorViewAA<double> y) {
  unsigned i = kernix::global_index().x;
  if (i >= s.size(0))
    return;
  auto both = [&](int k) { return r.load(k) * s.load(k); };
  y[i] = first(r) * at(s, i) + behind(&r, 1) * both(2) + first(s);
}

// As outputs they are like others, and nothing is added to their gradients.
[[kernix::bind, kernix::differentiable]] __global__ void stored(const double *x,
                                                                [[kernix::shape("x")]] DiffTensorViewR<double, 4> y,
                                                                [[kernix::shape("x")]] DiffTensorViewASR<double, 4> z,
                                                                [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i] * x[i];
    z.store(i, 3 * x[i]);
  }
}

// Views of the user's: one whose gradient is scaled behind the kernel, one with scratch memory of its own kind.
__global__ void scale(kernix::TensorView<double> gradient, double by) {
  for (int64_t i = threadIdx.x; i < gradient.numel(); i += blockDim.x)
    gradient(i) *= by;
}
struct Scaled : DiffTensorViewAA<double> {
  void after(cudaStream_t stream) const { scale<<<1, 32, 0, stream>>>(differential, 0.5); }
};
[[kernix::bind, kernix::differentiable]] __global__ void
scaled(Scaled x, const double *w, [[kernix::shape("w")]] double *y, [[kernix::value("w.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x.load(i % 4) * w[i];
}

__global__ void add_blocks(kernix::TensorView<double> gradient, const double *sums, int64_t rows) {
  const int64_t i = threadIdx.x;
  for (int64_t row = 0; i < gradient.numel() && row < rows; ++row)
    gradient(i) += sums[row * gradient.numel() + i];
}
/// A row of sums for every 32 threads.
struct Rows : kernix::ScratchDiffTensorView<double> {
  kernix::ScratchSize scratch_size(int64_t threads) const {
    const size_t bytes = (threads + 31) / 32 * primal.numel() * sizeof(double);
    return {bytes, bytes};
  }
  void after(kernix::Stream stream) const {
    add_blocks<<<1, 32, 0, stream>>>(differential, static_cast<const double *>(scratch.data),
                                     (scratch.threads + 31) / 32);
  }
  __device__ void get_bwd(int i, double g) const {
    if (!differential.data())
      return;
    const int64_t row = kernix::global_index().x / 32;
    kernix::atomic_add(static_cast<double *>(scratch.data) + row * primal.numel() + i, g);
  }
  [[kernix::backward_derivative(&Rows::get_bwd)]] __device__ double get(int i) const { return primal(i); }
};
[[kernix::bind, kernix::differentiable(backward)]] __global__ void
rows(const Rows x, const double *w, [[kernix::shape("w")]] double *y, [[kernix::value("w.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x.get(i % 4) * w[i] + x.get(1);
}

struct Failing : DiffTensorViewAA<double> {
  void after(cudaStream_t) const { throw std::runtime_error("nothing to bring together"); }
};
[[kernix::bind, kernix::differentiable]] __global__ void failing(Failing x, double *y) {
  y[threadIdx.x] = x.load(threadIdx.x);
}
[[kernix::bind, kernix::differentiable]] __global__ void greedy(DiffTensorViewASR<double, 1000000000> x, double *y) {
  y[threadIdx.x] = x.load(threadIdx.x);
}

// Hand-written, and launched by hand without scratch memory.
__global__ void by_hand_bwd(DiffTensorViewR<double, 4> x, DiffTensorViewAA<double> y) {
  unsigned i = kernix::global_index().x;
  if (i < y.size(0) && x.differential.data())
    x.load_bwd(i % 3, 0, 0, 0, 1, 2 * x.primal[i % 3] * y.differential[i]);
}
[[kernix::bind, kernix::backward_derivative(by_hand_bwd)]] __global__ void by_hand(DiffTensorViewR<double, 4> x,
                                                                                   DiffTensorViewAA<double> y) {
  unsigned i = kernix::global_index().x;
  if (i < y.size(0))
    y[i] = x[i % 3] * x[i % 3];
}

// Of device functions, which one thread of the CPU runs.
[[kernix::bind, kernix::differentiable]] __device__ double product(Scaled x, const Scaled &s, int i) {
  return x.load(i) * s[i] * s[0];
}
