// A write through a tensor that is declared const, wherever its pointer gets.
// RUN: not %cpu-host -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-host -fsyntax-only -fdiagnostics-parseable-fixits %s 2>&1 | FileCheck %s --check-prefix=FIX
// REQUIRES: cpu
// FIX: :{30:37-30:43}:""
// FIX: :{74:65-74:71}:""
#include <kernix/kernix.h>

__global__ void fill(float *p) {
// CHECK: :[[#@LINE+2]]:6: error: 'x' is declared const, an input, but 'negativeKernel' writes to it here
// CHECK: :[[#@LINE+19]]:58: note: remove 'const' to make 'x' an output
  *p = 1;
}
__global__ void copy(const float *p, float *q) { *q = *p; }
void put(float *p) {
// CHECK: :[[#@LINE+2]]:6: error: 'x' is declared const, an input, but 'negativeFunction' writes to it here
// CHECK: :[[#@LINE+17]]:61: note: remove 'const' to make 'x' an output
  *p = 1;
}
void view(kernix::Tensor t) {
// CHECK: :[[#@LINE+2]]:26: error: 'x' is declared const, an input, but 'negativeCopied' writes to it here
// CHECK: :[[#@LINE+16]]:58: note: remove 'const' to make 'x' an output
  t.data_ptr<float>()[0] = 1;
}

[[kernix::bind]] void positiveReadOnly(const kernix::Tensor x, kernix::Tensor y) {
  copy<<<1, 1>>>(x.data_ptr<float>(), y.data_ptr<float>());
  y.data_ptr<float>()[0] = x.data_ptr<float>()[0];
}
[[kernix::bind]] int negativeKernel(const kernix::Tensor x) {
  fill<<<1, 1>>>(x.data_ptr<float>());
  return 0;
}
[[kernix::bind]] int negativeFunction(const kernix::Tensor &x) {
  put(x.data_ptr<float>());
  return 0;
}
[[kernix::bind]] int negativeCopied(const kernix::Tensor x) {
  view(x);
  return 0;
}
[[kernix::bind]] int negativeCast(const kernix::Tensor x) {
  auto *p = static_cast<float *>(x.data_ptr());
// CHECK: :[[#@LINE+2]]:8: error: 'x' is declared const, an input, but 'negativeCast' writes to it here
// CHECK: :[[#@LINE-3]]:56: note: remove 'const' to make 'x' an output
  p[3] = 1;
  return 0;
}
[[kernix::bind]] int negativeView(const kernix::TensorView<float> x) {
// CHECK: :[[#@LINE+2]]:8: error: 'x' is declared const, an input, but 'negativeView' writes to it here
// CHECK: :[[#@LINE-2]]:67: note: remove 'const' to make 'x' an output
  x(3) = 1;
  return 0;
}
[[kernix::bind]] int negativeFromTensor(const kernix::Tensor x) {
  auto v = kernix::TensorView<float>::from_tensor(x);
// CHECK: :[[#@LINE+2]]:8: error: 'x' is declared const, an input, but 'negativeFromTensor' writes to it here
// CHECK: :[[#@LINE-3]]:62: note: remove 'const' to make 'x' an output
  v(0) += 2;
  return 0;
}
[[kernix::bind]] int negativeMemset(const kernix::Tensor x) {
// CHECK: :[[#@LINE+2]]:16: error: 'x' is declared const, an input, but 'negativeMemset' writes to it here
// CHECK: :[[#@LINE-2]]:58: note: remove 'const' to make 'x' an output
  cudaMemset(x.data(), 0, 3);
  return 0;
}
[[kernix::bind]] __global__ void negativeConstCast(const float *x, float *y) {
  y[0] = 1;
// CHECK: :[[#@LINE+2]]:29: error: 'x' is declared const, an input, but 'negativeConstCast' writes to it here
// CHECK: :[[#@LINE-3]]:65: note: remove 'const' to make 'x' an output
  const_cast<float *>(x)[0] = 1;
}
[[kernix::bind]] __global__ void negativeAtomic(float *y, float const *x) {
  y[0] = 1;
// CHECK: :[[#@LINE+2]]:13: error: 'x' is declared const, an input, but 'negativeAtomic' writes to it here
// CHECK: :[[#@LINE-3]]:72: note: remove 'const' to make 'x' an output
  atomicAdd(const_cast<float *>(x), 1.f);
}
