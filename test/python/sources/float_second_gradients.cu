// Kernels in float16 and bfloat16 whose second derivatives are sums of many numbers.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define FOR_EACH(name)                                                                                                 \
  [[kernix::bind]] [[kernix::differentiable(2)]] [[kernix::instantiate("float", "__half",                              \
                                                                       "__nv_bfloat16")]] __global__ void name

/// One element for all threads.
template <class T>
FOR_EACH(shared_factor)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[0] * w[0] * x[i];
}

template <class T>
FOR_EACH(scalar_factor)([[kernix::diff]] T w, const T *x, [[kernix::shape("x")]] T *y,
                        [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w * w * x[i];
}

/// Elements of a view that are read from memory.
template <class T>
FOR_EACH(gathered)(kernix::TensorView<const T> w, const int *at, const T *x, [[kernix::shape("x")]] T *y,
                   [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w(at[i], 1) * w(at[i], 1) * x[i];
}

/// In shared memory.
template <class T>
FOR_EACH(staged)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  __shared__ T tile[8];
  if (threadIdx.x < 8)
    tile[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T v = tile[i % 8];
  y[i] = v * v * x[i];
}

/// In an array of the thread's own.
template <class T>
FOR_EACH(own_array)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n,
                    int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T own[4];
  for (int k = 0; k < 4; ++k)
    own[k] = w[k];
  float sum = 0;
  for (int k = 0; k < times; ++k) {
    float v = static_cast<float>(own[(i + k) % 4]);
    sum += static_cast<float>(x[i]) * v * v;
  }
  y[i] = static_cast<T>(sum / 64);
}
