// Kernels in float16 and bfloat16 whose gradients are sums of many numbers.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

#define FOR_EACH(name)                                                                                                 \
  [[kernix::bind]] [[kernix::differentiable]] [[kernix::instantiate("float", "__half",                                 \
                                                                    "__nv_bfloat16")]] __global__ void name

/// One element for all threads.
template <class T>
FOR_EACH(shared_factor)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[0] * x[i];
}

template <class T>
FOR_EACH(scalar_factor)([[kernix::diff]] T w, const T *x, [[kernix::shape("x")]] T *y,
                        [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w * x[i];
}

/// Elements that are read from memory.
template <class T>
FOR_EACH(gathered)(const T *w, const int *at, const T *x, [[kernix::shape("x")]] T *y,
                   [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[at[i]] * x[i];
}

/// A row of weights for all threads, each of which goes through it.
template <class T>
FOR_EACH(rows)(const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.size(0)")]] int n,
               [[kernix::value("x.size(1)")]] int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int c = 0; c < d; ++c)
    y[i * d + c] = w[c] * x[i * d + c];
}

/// Each thread comes to its own elements again and again.
template <class T>
FOR_EACH(again)(const T *w, [[kernix::shape("n")]] T *y, [[kernix::value("w.size(0)")]] int n,
                [[kernix::value("w.size(1)")]] int d, int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < times; ++k)
    for (int c = 0; c < d; ++c)
      sum += static_cast<float>(w[i * d + c]);
  y[i] = static_cast<T>(sum * 0.001f);
}

/// A sum in a register of the kernel's own type.
template <class T>
FOR_EACH(in_register)(const T *w, const T *x, [[kernix::shape("w")]] T *y, [[kernix::value("w.numel()")]] int n,
                      [[kernix::value("x.numel()")]] int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T sum = static_cast<T>(0.f);
  for (int c = 0; c < m; ++c)
    sum += w[i] * x[c];
  y[i] = sum;
}

template <class T>
FOR_EACH(of_view)(kernix::TensorView<const T> w, const T *x, [[kernix::shape("x")]] T *y,
                  [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w(i % w.size(0), i % w.size(1)) * x[i];
}

/// Two tensors that may be one.
template <class T>
FOR_EACH(two)(const T *v, const T *w, const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = (v[0] + w[0]) * x[i];
}

/// One addition to each element.
template <class T> FOR_EACH(each)(const T *x, [[kernix::shape("x")]] T *y, [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}
