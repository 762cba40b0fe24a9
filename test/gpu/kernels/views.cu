// Strided access through views.
#include <kernix/kernix.h>

[[kernix::bind, kernix::grid("ceil_div(x.size(1), 32)", "x.size(0)"), kernix::block(32)]]
__global__ void add_rows(kernix::TensorView<const float> x, kernix::TensorView<const float> row,
                         [[kernix::intent(inout_ptr)]] kernix::TensorView<float> y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < x.size(1))
    y(i, j) += x(i, j) + row(j);
}

[[kernix::bind, kernix::grid("ceil_div(x.numel(), block.x)"), kernix::block(128)]]
__global__ void
rotate(kernix::TensorView<const int> x,
       [[kernix::intent(out_return), kernix::shape("x.size(2)", "x.size(0)", "x.size(1)")]] kernix::TensorView<int> y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= x.numel())
    return;
  int c = i % static_cast<int>(x.size(2)), b = i / static_cast<int>(x.size(2)) % static_cast<int>(x.size(1)),
      a = i / static_cast<int>(x.size(2) * x.size(1));
  y(c, a, b) = x(a, b, c);
}

[[kernix::bind, kernix::grid("1"), kernix::block(1)]]
__global__ void last([[kernix::optional]] kernix::TensorView<const float> x, [[kernix::intent(inout_ptr)]] float *y) {
  y[0] = static_cast<float>(x.numel());
  y[1] = x.numel() ? x(x.size(0) - 1) : -1;
}
