// What the source chooses and kernix cannot do yet is an error, never passed over.
// RUN: not %cpu-device -c %s -o /dev/null 2>&1 | FileCheck %s
#include <kernix/kernix.h>

// CHECK: ChoicesRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'scalar': {{.*}}diff(unique){{.*}} of 'a' cannot be: all threads read one value
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void scalar(const float *x, [[kernix::diff(unique)]] float a, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = a * x[i];
}

// A guard lets some of all threads through, or one.
// CHECK: ChoicesRefused.cu:[[#@LINE+6]]:{{.*}}error: cannot differentiate 'shared_by_all': all threads read one element of 'w' here, which {{.*}}diff(unique){{.*}} says no two do; write
[[kernix::bind, kernix::differentiable]]
__global__ void shared_by_all(const float *x, [[kernix::diff(unique)]] const float *w, float *y, int k, int n) {
  int i = threadIdx.x;
  float v = i == 3 ? w[n] : 1;
  if (i < n)
    v *= w[k];
  y[i] = v * x[i];
}
// CHECK: error: cannot differentiate 'once_by_all': all threads read one element of 'w' here, which {{.*}}diff(once){{.*}} says
[[kernix::bind, kernix::differentiable(backward)]]
__global__ void once_by_all(const float *x, [[kernix::diff(once)]] kernix::TensorView<const float> w, float *y) {
  for (int k = 0; k < w.size(0); ++k)
    y[threadIdx.x * w.size(0) + k] = w(k) * x[threadIdx.x];
}

#define BACKWARD [[kernix::bind, kernix::differentiable(backward)]] __global__

BACKWARD void unbounded(const float *x, float *y, int m) {
  float v = x[threadIdx.x];
  // CHECK: error: cannot differentiate 'unbounded': {{.*}}store{{.*}} on a loop of which it is not known how often it runs at most; bound it with
  [[kernix::store]] for (int k = 0; k < m; ++k)
    v *= v;
  y[threadIdx.x] = v;
}

BACKWARD void both(const float *x, float *y, int m) {
  float v = x[threadIdx.x];
  // CHECK: error: cannot differentiate 'both': {{.*}}recompute]] on a loop that has {{.*}}max_iters]]
  [[kernix::recompute, kernix::max_iters(10)]] for (int k = 0; k < m; ++k)
    v *= v;
  y[threadIdx.x] = v;
}

BACKWARD void reference(const float *x, float *y, int n) {
  const float *q = x;
  [[kernix::no_diff]] const float *p = x + 1;
  for (int k = 0; k < n; ++k)
    // CHECK: ChoicesRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'reference': a pointer or reference that is {{.*}}no_diff]] is used here in a way that cannot be followed; use the value that it leads to
    q = q == x ? p : x;
  y[threadIdx.x] = *q;
}

// A view carries its gradient wherever it is referred to.
using View = kernix::DiffTensorViewAA<float>;
// CHECK: ChoicesRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'view_in_a_function': a pointer or reference that is {{.*}}no_diff]] is used here in a way that cannot be followed
__device__ float constant_element([[kernix::no_diff]] const View &v, int i) { return v.load(i); }
BACKWARD void view_in_a_function(const View x, float *y) {
  y[threadIdx.x] = x.load(threadIdx.x) * constant_element(x, 0);
}
BACKWARD void view_by_reference(const View x, float *y) {
  [[kernix::no_diff]] const View &v = x;
  // CHECK: ChoicesRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'view_by_reference': a pointer or reference that is {{.*}}no_diff]] is used here in a way that cannot be followed
  y[threadIdx.x] = x.load(threadIdx.x) * v.load(0);
}

struct Row {
  float v[70];
};
__device__ void copy(Row *to, [[kernix::no_diff]] const Row *from) {
  // CHECK: ChoicesRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'copied': what a pointer or reference that is {{.*}}no_diff]] leads to is copied as a whole; copy it member by member
  *to = *from;
}
BACKWARD void copied(const Row *x, float *y) {
  Row r;
  copy(&r, x);
  y[threadIdx.x] = r.v[threadIdx.x];
}

__device__ float sum(const float *p, int n) {
  float s = 0;
  for (int k = 0; k < n; ++k)
    s += p[k];
  return s;
}
BACKWARD void either(const float *x, float *y, int n) {
  [[kernix::no_diff]] float a[4] = {x[0], x[1], x[2], x[3]};
  float b[4] = {x[0], x[1], x[2], x[3]};
  float *p = a;
  for (int k = 0; k < n; ++k)
    // CHECK: ChoicesRefused.cu:[[#@LINE+1]]:{{.*}}error: cannot differentiate 'either'
    p = p == a ? b : a;
  y[threadIdx.x] = sum(p, n);
}
