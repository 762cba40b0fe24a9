// Which arguments of a member that stores say where: by these alone are two stores told apart.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cpu-device -O0 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
#include <kernix/kernix.h>

using View = kernix::DiffTensorViewAA<float>;
#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__

// The first index, and the first of two.
// CHECK: :[[@LINE+3]]:5: error: cannot differentiate 'negative_axes': one element of 'y' may be stored to twice
BACKWARD void negative_axes(const View x, View y) {
  y.store(threadIdx.x, x[0]);
  y.store(make_int2(threadIdx.x, 0), x[1]);
}

// Another place in memory begins there.
// CHECK: :[[@LINE+7]]:5: error: cannot differentiate 'negative_moved': one element of 'y' may be stored to twice
BACKWARD void negative_moved(const View x, View y) {
  View z = y;
  z.primal.data_ += 1;
  if (z.differential.data_)
    z.differential.data_ += 1;
  y.store(threadIdx.x + 1, x[threadIdx.x]);
  z.store(threadIdx.x, x[1]);
}

struct Own : View {
  __device__ void weigh_bwd(int i, int weight, float, float *g) const { *g += weight * differential(i); }
  [[kernix::backward_derivative(&Own::weigh_bwd)]] __device__ void weigh(int i, int weight, float v) const {
    primal(i) = weight * v;
  }
  __device__ void shift_bwd(int i, int j, float, float *g) const { *g += differential(i + j); }
  [[kernix::backward_derivative(&Own::shift_bwd)]] __device__ void shift(int i, int j, float v) const {
    primal(i + j) = v;
  }
  __device__ void flat_bwd(int r, int c, float, float *g) const { *g += differential(3 * r + c); }
  [[kernix::backward_derivative(&Own::flat_bwd)]] __device__ void flat(int r, int c, float v) const {
    primal(3 * r + c) = v;
  }
  __device__ void twice_bwd(int i, float, float *g) const { *g += differential(i) + differential(i + 1); }
  [[kernix::backward_derivative(&Own::twice_bwd)]] __device__ void twice(int i, float v) const {
    primal(i) = v;
    primal(i + 1) = v;
  }
  __device__ void put_bwd(float, float *g, int c, int r) const { *g += differential(r, c); }
  [[kernix::backward_derivative(&Own::put_bwd)]] __device__ void put(float v, int c, int r) const { primal(r, c) = v; }
};

// CHECK: :[[@LINE+3]]:5: error: cannot differentiate 'negative_weights': one element of 'y' may be stored to twice
BACKWARD void negative_weights(const View x, Own y) {
  y.weigh(threadIdx.x, 1, x[0]);
  y.weigh(threadIdx.x, 2, x[1]);
}

// CHECK: :[[@LINE+3]]:7: error: cannot differentiate 'negative_weights_in_a_loop': one element of 'y' may be stored to twice
BACKWARD void negative_weights_in_a_loop(const View x, Own y, int n) {
  for (int k = 0; k < n; ++k)
    y.weigh(threadIdx.x, k, x[k]);
}

// CHECK: :[[@LINE+3]]:5: error: cannot differentiate 'negative_sum': one element of 'y' may be stored to twice
BACKWARD void negative_sum(const View x, Own y) {
  y.shift(threadIdx.x, 1, x[0]);
  y.shift(threadIdx.x + 1, 0, x[1]);
}

// CHECK: :[[@LINE+3]]:5: error: cannot differentiate 'negative_flat': one element of 'y' may be stored to twice
BACKWARD void negative_flat(const View x, Own y) {
  y.flat(threadIdx.x, 3, x[0]);
  y.flat(threadIdx.x + 1, 0, x[1]);
}

// CHECK: :[[@LINE+3]]:5: error: cannot differentiate 'negative_two': one element of 'y' may be stored to twice
BACKWARD void negative_two(const View x, Own y) {
  y.twice(2 * threadIdx.x, x[0]);
  y.twice(2 * threadIdx.x + 1, x[1]);
}

BACKWARD void positive(const View x, Own y, Own z, Own w, int n) {
  for (int k = 0; k < n; ++k)
    y.weigh(k, threadIdx.x, x[k]);
  z.put(x[1], threadIdx.x, 0);
  z.put(x[2], threadIdx.x, 1);
  w.weigh(2 * threadIdx.x, 1, x[0]);
  w.weigh(2 * threadIdx.x + 1, 1, x[1]);
}

// Through the address of an element: after a store its gradient would count, in forward mode the tangent would stay.
// CHECK: :[[@LINE+4]]:17: error: cannot differentiate 'negative_address': an element of the view 'y' is stored by its address, after 'store_at' may have stored to it
BACKWARD void negative_address(const View x, View y) {
  y.store(threadIdx.x, x[threadIdx.x]);
  if (threadIdx.x > 3)
    y.primal(0) = 0;
}
BACKWARD void positive_address(const View x, View y) {
  y.primal(threadIdx.x) = 0;
  if (x.primal(threadIdx.x) > 0)
    y.store(threadIdx.x, x[threadIdx.x]);
}
// CHECK: :[[@LINE+2]]:25: error: cannot differentiate 'negative_tangent': an element of the view 'y' is stored by its address, and its tangent stays what it was; use store
[[kernix::bind, kernix::differentiable(forward)]] __global__ void negative_tangent(const View x, View y) {
  y.primal(threadIdx.x) = 0;
  y.store(threadIdx.x + 32, x[threadIdx.x]);
}

// CHECK: :[[@LINE+2]]:25: error: cannot differentiate 'negative_number': an element of the view 'y' is stored by its address, and nothing gives the number a derivative; use store
BACKWARD void negative_number(const View x, View y) {
  y.primal(threadIdx.x) = x[threadIdx.x] * 2;
}

// An object with the numbers of a view has its gradient too.
// CHECK: :[[@LINE+4]]:22: error: cannot differentiate 'negative_without': 'load_at' is called on an object with the numbers of the view 'x', but not with their gradient; let 'differential' lead to what 'primal' leads to, with the same shape and strides, or a variable marked {{\[\[}}kernix::no_diff]] hold what is read
BACKWARD void negative_without(const View x, View y) {
  View v;
  v.primal = x.primal;
  y[threadIdx.x] = v.load(threadIdx.x) + x.load(0);
}
// CHECK: :[[@LINE+4]]:22: error: cannot differentiate 'negative_other': 'load_at' is called on an object with the numbers of the view 'x', but not with their gradient
BACKWARD void negative_other(const View x, const View w, View y) {
  View v = x;
  v.differential = w.differential;
  y[threadIdx.x] = v.load(threadIdx.x) + w.load(0);
}
// CHECK: :[[@LINE+4]]:22: error: cannot differentiate 'negative_half_moved': 'load_at' is called on an object with the numbers of the view 'x', but not with their gradient
BACKWARD void negative_half_moved(const View x, View y) {
  View v = x;
  v.primal.data_ += 8;
  y[threadIdx.x] = v.load(threadIdx.x);
}
// CHECK: :[[@LINE+4]]:22: error: cannot differentiate 'negative_stride': 'load_at' is called on an object with the numbers of the view 'x', but not with their gradient
BACKWARD void negative_stride(const View x, View y) {
  View v = x;
  v.primal.strides[0] = 2;
  y[threadIdx.x] = v.load(threadIdx.x);
}
// CHECK: :[[@LINE+5]]:18: error: cannot differentiate 'negative_other_way': 'store_at' is called on an object with the numbers of the view 'y', but not with their gradient
BACKWARD void negative_other_way(const View x, View y) {
  View v = y;
  v.primal.data_ += 8;
  v.differential.data_ += threadIdx.y;
  v[threadIdx.x] = x.load(threadIdx.x);
}
// CHECK: :[[@LINE+6]]:22: error: cannot differentiate 'negative_sometimes': 'load_at' is called on an object with the numbers of the view 'x', but not with their gradient
BACKWARD void negative_sometimes(const View x, View y) {
  View v = x;
  v.primal.data_ += 8;
  if (threadIdx.x > 7)
    v.differential.data_ += 8;
  y[threadIdx.x] = v.load(threadIdx.x);
}
BACKWARD void positive_transposed(const View x, View y) {
  View v = x;
  for (auto *half : {&v.primal, &v.differential}) {
    const long stride = half->strides[0];
    half->strides[0] = 2 * half->strides[1];
    half->strides[1] = stride;
  }
  y[threadIdx.x] = v.load(make_int2(0, threadIdx.x));
}
BACKWARD void positive_rows(const View x, View y) {
  View v = x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    sum += v.load(threadIdx.x);
    v.primal.data_ += v.primal.strides[0];
    if (v.differential.data_)
      v.differential.data_ += v.differential.strides[0];
  }
  y[threadIdx.x] = sum;
}
BACKWARD void positive_part(const View x, [[kernix::no_diff]] const View w, View y) {
  View v = x, constant = w;
  v.primal.data_ += 8;
  if (v.differential.data_)
    v.differential.data_ += 8;
  constant.differential.data_ = nullptr;
  y[threadIdx.x] = v.load(threadIdx.x) * constant.load(threadIdx.x);
}
