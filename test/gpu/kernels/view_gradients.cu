// What views of users add to gradients with: sums of the lanes that are here. See test_view_gradients.py.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

/// The last warp is not full; the lanes then go two ways, and a few go none. What is added is in `sums`, who did it in
/// `firsts`.
template <class T>
[[kernix::bind, kernix::instantiate("float", "double", "__half", "__nv_bfloat16")]] __global__ void
warp_sums(const T *x, [[kernix::intent(out_return), kernix::shape("3")]] T *sums,
          [[kernix::intent(out_return), kernix::shape("3", "x.size(0)")]] int *firsts,
          [[kernix::value("x.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  firsts[i] = firsts[n + i] = firsts[2 * n + i] = 0;
  T sum = kernix::warp_sum(x[i]);
  if (kernix::is_first_lane()) {
    kernix::atomic_add(&sums[0], sum);
    firsts[i] = 1;
  }
  if (i % 7 == 6)
    return;
  if (i % 3 == 1) {
    sum = kernix::warp_sum(x[i]);
    if (kernix::is_first_lane()) {
      kernix::atomic_add(&sums[1], sum);
      firsts[n + i] = 1;
    }
  } else {
    sum = kernix::warp_sum(x[i]);
    if (kernix::is_first_lane()) {
      kernix::atomic_add(&sums[2], sum);
      firsts[2 * n + i] = 1;
    }
  }
}

/// As warp_sums for the vectors of which a view may be.
template <class Vector> __device__ void add_all(const float *x, float *sums, int n) {
  constexpr int size = sizeof(Vector) / sizeof(float);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / size || i % 7 == 6)
    return;
  Vector own;
  for (int k = 0; k < size; ++k)
    reinterpret_cast<float *>(&own)[k] = x[i * size + k];
  Vector sum = kernix::warp_sum(own);
  if (kernix::is_first_lane())
    for (int k = 0; k < size; ++k)
      atomicAdd(&sums[k], reinterpret_cast<float *>(&sum)[k]);
}
[[kernix::bind]] __global__ void vector_sums(const float *x,
                                             [[kernix::intent(out_return), kernix::shape("3", "4")]] float *sums,
                                             [[kernix::value("x.size(0)")]] int n) {
  add_all<float2>(x, sums, n);
  add_all<float3>(x, sums + 4, n);
  add_all<float4>(x, sums + 8, n);
}

/// One weight that lanes of both branches read.
struct Weight : kernix::DiffTensorView<float> {
  __device__ void get_bwd(float g) const {
    float sum = kernix::warp_sum(g);
    if (kernix::is_first_lane())
      kernix::atomic_add(&differential(0), sum);
  }
  [[kernix::backward_derivative(&Weight::get_bwd)]] __device__ float get() const { return primal(0); }
};
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void weighted(const Weight w, const float *x, [[kernix::shape("x")]] float *y,
                         [[kernix::value("x.size(0)")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (i % 3 == 1)
    y[i] = w.get() * x[i];
  else
    y[i] = x[i] + 2 * w.get() * w.get();
}
