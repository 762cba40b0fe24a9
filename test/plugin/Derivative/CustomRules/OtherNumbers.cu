// Objects with the numbers of a tensor that do not know where its gradient is.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-device -O0 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;
#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__

// CHECK: :[[@LINE+4]]:22: error: cannot differentiate 'negative_own_numbers': 'load_at' is called on an object with the numbers of the view 'x', but not with their gradient
BACKWARD void negative_own_numbers(const View x, View y) {
  View v = x;
  v.differential = x.primal;
  y[threadIdx.x] = v.load(threadIdx.x);
}
// CHECK: :[[@LINE+4]]:22: error: cannot differentiate 'negative_own_strides': 'load_at' is called on an object with the numbers of the view 'x', but not with their gradient
BACKWARD void negative_own_strides(const View x, View y) {
  View v = x;
  v.differential.strides[0] = x.primal.strides[0];
  y[threadIdx.x] = v.load(threadIdx.x);
}
BACKWARD void positive_half(const View x, View y) {
  View v = x;
  v.primal.data_ += x.primal.shape[0] / 2;
  v.differential.data_ += x.primal.shape[0] / 2;
  y[threadIdx.x] = v.load(threadIdx.x);
}
// A tensor's numbers, whose gradient is elsewhere.
// CHECK: :[[@LINE+4]]:22: error: cannot differentiate 'negative_tensor': it is not known where 'self' leads
BACKWARD void negative_tensor(kernix::TensorView<float> x, View y) {
  View v{};
  v.primal = x;
  y[threadIdx.x] = v.load(threadIdx.x);
}
// Pointers that lead on.
struct Referring {
  const kernix::TensorView<float> &tensor;
  __device__ void load_bwd(int, float) const {}
  [[kernix::backward_derivative(&Referring::load_bwd)]] __device__ float load(int i) const { return tensor(i); }
};
// CHECK: :[[@LINE+3]]:22: error: cannot differentiate 'negative_referred': numbers with a derivative are read through 'self'
BACKWARD void negative_referred(kernix::TensorView<float> x, View y) {
  Referring r{x};
  y[threadIdx.x] = r.load(threadIdx.x);
}
struct Numbers {
  float *data;
  __device__ void load_bwd(int, float) const {}
  [[kernix::backward_derivative(&Numbers::load_bwd)]] __device__ float load(int i) const { return data[i]; }
};
// CHECK: :[[@LINE+3]]:22: error: cannot differentiate 'negative_numbers': 'load' is called on an object with the numbers of the view 'x', which has no place for their gradient; let it hold the view, or a variable marked {{\[\[}}kernix::no_diff]] what is read
BACKWARD void negative_numbers(const View x, View y) {
  Numbers r{x.primal.data_};
  y[threadIdx.x] = r.load(threadIdx.x);
}
