// What stands in the body of a kernel speaks of its derivatives: where it has none, that is reported.
// RUN: %cuda-host -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %cuda-device -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %cuda-host -fsyntax-only -Wno-unknown-warning-option -Wno-kernix-no-effect %s 2>&1 | count 0
// The declarations of a source come before the statements.
#include <kernix/kernix.h>

__device__ float opaque(float);

[[kernix::bind]] __global__ void negative(const float *x, float *y) {
// CHECK: :[[@LINE+1]]:5: warning: 'kernix::store' has no effect: 'negative' is not differentiable [-Wkernix-no-effect]
  [[kernix::store]] float v = *x;
// CHECK: :[[@LINE+1]]:5: warning: 'kernix::no_diff' has no effect: 'negative' is not differentiable [-Wkernix-no-effect]
  [[kernix::no_diff]] int n = 3;
  [[kernix::no_diff]] v = opaque(v);
  [[kernix::max_iters(4)]] while (v > 1)
    v *= 0.5f;
  [[kernix::recompute]] for (int k = 0; k < n; ++k) v *= v;
  *y = v;
}
template <class T> [[kernix::bind, kernix::instantiate("float")]] __global__ void negativeTemplate(T *y, int n) {
  [[kernix::store]] for (int k = 0; k < n; ++k) *y *= *y;
}
// CHECK: :[[@LINE-9]]:5: warning: 'kernix::no_diff' has no effect: 'negative' is not differentiable [-Wkernix-no-effect]
// CHECK: :[[@LINE-9]]:5: warning: 'kernix::max_iters' has no effect: 'negative' is not differentiable [-Wkernix-no-effect]
// CHECK: :[[@LINE-8]]:5: warning: 'kernix::recompute' has no effect: 'negative' is not differentiable [-Wkernix-no-effect]
// CHECK: :[[@LINE-5]]:5: warning: 'kernix::store' has no effect: 'negativeTemplate' is not differentiable [-Wkernix-no-effect]

#define BODY                                                                                                           \
  [[kernix::store]] float v = *x;                                                                                      \
  [[kernix::no_diff]] v = opaque(v);                                                                                   \
  *y = v;
[[kernix::bind, kernix::differentiable]] __global__ void positive(const float *x, float *y) { BODY }
[[kernix::bind, kernix::differentiable]] __global__ void positiveDeclared(const float *x, float *y);
__global__ void positiveDeclared(const float *x, float *y) { BODY }
template <class T> [[kernix::bind, kernix::differentiable, kernix::instantiate("float")]]
__global__ void positiveTemplate(const T *x, T *y) { BODY }
template <class T> __global__ void positiveSpecialization(const T *x, T *y) { *y = *x; }
template <> [[kernix::bind, kernix::differentiable]]
__global__ void positiveSpecialization<float>(const float *x, float *y) { BODY }
template <class T> __global__ void positiveByVariable(const T *x, T *y) { BODY }
[[kernix::bind, kernix::differentiable]] constexpr auto byVariable = positiveByVariable<float>;
// Whoever calls it may have derivatives.
__device__ void positiveDevice(const float *x, float *y) { BODY }
