// One fully connected layer; its backward is made by the compiler.

#include <kernix/kernix.h>

/// y[r, c] = x[r, :] . w[c, :] + b[c], and with `rectify` the positive part of it.
[[kernix::bind, kernix::differentiable, kernix::block(256), kernix::grid("ceil_div(y.numel(), block.x)")]]
__global__ void dense(const float *x, const float *w, const float *b,
                      [[kernix::shape("x.size(0)", "w.size(0)")]] float *y, bool rectify,
                      [[kernix::value("x.size(0)")]] int rows, [[kernix::value("w.size(1)")]] int inputs,
                      [[kernix::value("w.size(0)")]] int outputs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * outputs)
    return;
  const int r = i / outputs, c = i % outputs;
  float sum = b[c];
  for (int k = 0; k < inputs; ++k)
    sum += x[r * inputs + k] * w[c * inputs + k];
  y[i] = rectify && sum < 0 ? 0 : sum;
}
