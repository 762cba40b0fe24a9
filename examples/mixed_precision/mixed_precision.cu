// The layers of a small network, in three dtypes: numbers are stored as T and computed in float.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernix/kernix.h>

/// y = x w^T + b, an element for each thread
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "__half", "__nv_bfloat16")]]
__global__ void linear(const T *x, const T *w, const T *b,
                       [[kernix::intent(out_return), kernix::shape("rows", "columns")]] T *y,
                       [[kernix::value("x.size(0)")]] int rows, [[kernix::value("x.size(1)")]] int inner,
                       [[kernix::value("w.size(0)")]] int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns)
    return;
  int row = i / columns, column = i % columns;
  float sum = static_cast<float>(b[column]);
  for (int k = 0; k < inner; ++k)
    sum += static_cast<float>(x[row * inner + k]) * static_cast<float>(w[column * inner + k]);
  y[i] = static_cast<T>(sum);
}

template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "__half", "__nv_bfloat16")]]
__global__ void gelu(const T *x, [[kernix::intent(out_return), kernix::shape("x")]] T *y,
                     [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float value = static_cast<float>(x[i]);
  y[i] = static_cast<T>(0.5f * value * (1 + erff(value * 0.70710678f)));
}

/// Rows with mean 0 and variance 1, scaled and shifted by column; a row for each thread
template <class T>
[[kernix::bind, kernix::differentiable, kernix::instantiate("float", "__half", "__nv_bfloat16"), kernix::block(32),
  kernix::grid("ceil_div(rows, block.x)")]]
__global__ void layer_norm(const T *x, const T *scale, const T *shift,
                           [[kernix::intent(out_return), kernix::shape("x")]] T *y, float epsilon,
                           [[kernix::value("x.size(0)")]] int rows, [[kernix::value("x.size(1)")]] int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float mean = 0, square = 0;
  for (int k = 0; k < columns; ++k)
    mean += static_cast<float>(x[row * columns + k]);
  mean /= columns;
  for (int k = 0; k < columns; ++k) {
    float distance = static_cast<float>(x[row * columns + k]) - mean;
    square += distance * distance;
  }
  float factor = rsqrtf(square / columns + epsilon);
  for (int k = 0; k < columns; ++k) {
    float normal = (static_cast<float>(x[row * columns + k]) - mean) * factor;
    y[row * columns + k] = static_cast<T>(normal * static_cast<float>(scale[k]) + static_cast<float>(shift[k]));
  }
}
