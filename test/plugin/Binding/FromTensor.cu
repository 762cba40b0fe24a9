// Views that from_tensor makes: what is done with the view is done with the tensor, and its gradient is no business of
// the function.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// REQUIRES: cpu
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;

__global__ void squares(const View x, View y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.size(0))
// CHECK: :[[#@LINE+2]]:10: error: 'x' is declared const, an input, but 'negativeStored' writes to it here
// CHECK: :[[#@LINE+23]]:59: note: remove 'const' to make 'x' an output
    y[i] = x[i] * x[i];
}
__global__ void slopes(const View x, const View y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.size(0))
    x.differential[i] += 2 * x.primal[i] * y.differential[i];
}
[[kernix::bind]] void positiveLoaded(const kernix::Tensor x, kernix::Tensor y) {
  squares<<<1, 64>>>(View::from_tensor(x), View::from_tensor(y));
}
[[kernix::bind]] void positiveWithGradients(const kernix::Tensor x, kernix::Tensor x_grad, const kernix::Tensor y,
                                            const kernix::Tensor y_grad) {
  View both = View::from_tensor(x, x_grad);
  slopes<<<1, 64>>>(both, View::from_tensor(y, y_grad));
}
[[kernix::bind]] void positiveByHand(const kernix::Tensor x, const kernix::Tensor y_grad, kernix::Tensor y) {
  auto replicas = kernix::DiffTensorViewR<float, 4>::from_tensor(x);
  View view, other = View::from_tensor(y);
  view.primal = replicas.primal;
  other.differential = kernix::TensorView<float>::from_tensor(y_grad);
  squares<<<1, 64>>>(view, other);
}
[[kernix::bind]] void negativeStored(const kernix::Tensor x, kernix::Tensor y) {
  squares<<<1, 64>>>(View::from_tensor(x), View::from_tensor(y));
  squares<<<1, 64>>>(View::from_tensor(y), View::from_tensor(x));
}
[[kernix::bind]] void negativeByHand(const kernix::Tensor x, kernix::Tensor y) {
  View view;
  view.primal = kernix::TensorView<float>::from_tensor(x);
// CHECK: :[[#@LINE+2]]:18: error: 'x' is declared const, an input, but 'negativeByHand' writes to it here
// CHECK: :[[#@LINE-4]]:59: note: remove 'const' to make 'x' an output
  view.primal(0) = 1;
}
